#!/usr/bin/env bash
# Fills a directory with files for the programs to work on; the same in every run. Usage: fixture.sh DIRECTORY
source "$(dirname "$0")/common.sh"
mkdir -p "$1"
cd "$1"

mkdir -p empty deep/er/est
cp "$root/LICENSE-APACHE" text
cp "$root/bench/programs/compress.c" code.c
sed 's/Licen[cs]e/Permission/; /^ *$/d; 40,45d' text >other
head -c 300 text >short
printf 'no newline at the end' >cut
printf 'a\0b\377\r\n\ttab\n' >binary
seq 1 50 | awk '{ print $1, $1 * $1 % 17, "word" $1 % 5, $1 / 7 }' >table
touch deep/.hidden deep/er/one deep/er/two.c deep/er/est/three
ln -s deep/er link
ln -s nowhere dangling
chmod 755 code.c

cat >good.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE list [ <!ELEMENT list (item*)> <!ATTLIST item id CDATA #IMPLIED> <!ENTITY who "the world"> ]>
<!-- a comment -->
<list xmlns:x="urn:x"><item id="1">Hello, &who; &#955; &lt;</item><x:item><![CDATA[<raw>]]></x:item><?do it?></list>
XML
sed 's|</item>|</list>|' good.xml >bad.xml

# Times and modes show in listings.
chmod -R u=rwX,go=rX .
find . -exec touch -h -d '2020-02-20 20:20:20 UTC' {} +
