# Cairn. `make demo` shows it at work, `make test` checks it, `make help` lists the rest.

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
# Where rustup puts cargo, for shells that were started before it was installed.
export PATH := $(PATH):$(HOME)/.cargo/bin

built = target/release
z3 = .deps/z3/lib/libz3.so.5.4
prefix = $(DESTDIR)$(PREFIX)
man = $(prefix)/share/man/man1
bash = $(prefix)/share/bash-completion/completions
zsh = $(prefix)/share/zsh/site-functions
fish = $(prefix)/share/fish/vendor_completions.d

.PHONY: build setup demo test lint bench install uninstall clean help

build: setup ## build everything (the default)
	@$(CARGO) build --release --workspace
	@scripts/trim-runtime.sh
	@scripts/build-models.sh

setup: ## install missing Debian packages, fetch Z3
	@scripts/setup.sh

demo: build ## find a crash in a small program, and replay it
	@scripts/demo.sh

test: build ## run all tests
	@scripts/setup.sh --tests
	$(CARGO) test --release --workspace --no-fail-fast

lint: setup ## check formatting, and clippy without a warning
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

bench: build ## measure, next to the goals
	@bench/run.sh

install: build ## install to PREFIX (/usr/local)
	install -d $(prefix)/bin $(prefix)/lib/cairn $(prefix)/include/cairn/klee
	install $(built)/cairn $(prefix)/bin/
	install -m 644 $(built)/libcairn_runtime.a $(built)/libcairn_models.a $(z3) $(prefix)/lib/cairn/
	install -m 644 include/*.[ch] $(prefix)/include/cairn/
	install -m 644 include/klee/*.h $(prefix)/include/cairn/klee/
	install -d $(man) $(bash) $(zsh) $(fish)
	$(built)/cairn man --out $(man)
	$(built)/cairn completions bash >$(bash)/cairn
	$(built)/cairn completions zsh >$(zsh)/_cairn
	$(built)/cairn completions fish >$(fish)/cairn.fish

uninstall: ## remove what install put there
	rm -rf $(prefix)/bin/cairn $(prefix)/lib/cairn $(prefix)/include/cairn
	rm -f $(man)/cairn.1 $(man)/cairn-*.1 $(bash)/cairn $(zsh)/_cairn $(fish)/cairn.fish

clean: ## remove everything that was built
	rm -rf target

help: ## show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
