# How each program is built, in its unpacked source: with $CC and $CFLAGS, into the file `program`.
# Sources are compiled directly where there is little to configure.

link() { $CC $CFLAGS "$@" -o program; }

configured() {
    local directory=$1
    shift
    CC=$CC CFLAGS=$CFLAGS "$directory/configure" --disable-dependency-tracking "$@"
    # Nothing of the build system itself is rebuilt.
    printf 'include Makefile\nbuilt: $(BUILT_SOURCES)\n' >built.mk
}

remake() { make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=true YACC=: LEX=: "$@"; }

bc() {
    touch bc/bc.c bc/scan.c
    configured . --without-readline
    remake -C lib
    remake -C bc
    cp bc/bc program
}

zlib() { link -I. inflate.c inffast.c inftrees.c adler32.c crc32.c zutil.c "$harness/inflate.c"; }

# With a zlib of its own, so that both are explored.
libpng() {
    cp scripts/pnglibconf.h.prebuilt pnglibconf.h
    mkdir -p zlib
    tar -xf "$work"/src/zlib_*.orig.tar.* -C zlib --strip-components=1
    link -I. -Izlib -DPNG_INTEL_SSE_OPT=0 png{,error,get,mem,pread,read,rio,rtran,rutil,set,trans,wio,write,wtran,wutil}.c \
        zlib/{inflate,inffast,inftrees,deflate,trees,adler32,crc32,zutil}.c "$harness/png.c" -lm
}

luac() {
    rm src/lua.c
    link -DLUA_COMPAT_5_3 src/*.c -lm
}

units() {
    # Without readline: it has no option for that.
    sed -i 's/-lreadline/-lnone/' configure
    configured .
    remake units
    cp units program
}

libyaml() {
    link -Iinclude -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 \
        '-DYAML_VERSION_STRING="0.2.5"' src/{api,reader,scanner,parser,writer,emitter}.c "$harness/yaml.c"
}

dash() {
    configured . --without-libedit
    remake -C src -f ../built.mk built 2>/dev/null || true
    remake -C src
    cp src/dash program
}

mxml() {
    configured . --disable-threads --disable-shared
    link -I. mxml-{attr,entity,file,get,index,node,private,search,set,string}.c "$harness/xml.c"
}

cjson() { link -I. cJSON.c "$harness/json.c" -lm; }

mujs() { link -I. one.c main.c -lm; }

sqlite() {
    CC=clang-19 CFLAGS= ./configure --disable-tcl
    make sqlite3.c
    link -I. -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_RTREE \
        sqlite3.c "$harness/sql.c" -lm
}

patch() {
    configured . --disable-xattr
    remake -C lib
    remake -C src
    cp src/patch program
}
