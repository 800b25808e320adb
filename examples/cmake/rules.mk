# cmake: bloom.h for CMake projects, and for pkg-config
#   make check-cmake      find_package, FetchContent, add_subdirectory, pkg-config,
#                         make install and uninstall; 10 s

CHECKS += check-cmake
PACKAGES += cmake g++ pkg-config

CMAKE_FILES = lib/cmake/bloom/bloom-config.cmake \
    lib/cmake/bloom/bloom-config-version.cmake share/pkgconfig/bloom.pc
CMAKE_FILL = sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
    examples/cmake

install::
	install -d $(INSTALLED)/lib/cmake/bloom $(INSTALLED)/share/pkgconfig
	cp examples/cmake/config.cmake \
	    $(INSTALLED)/lib/cmake/bloom/bloom-config.cmake
	$(CMAKE_FILL)/version.cmake \
	    >$(INSTALLED)/lib/cmake/bloom/bloom-config-version.cmake
	$(CMAKE_FILL)/bloom.pc >$(INSTALLED)/share/pkgconfig/bloom.pc
	chmod 644 $(CMAKE_FILES:%=$(INSTALLED)/%)

uninstall::
	rm -f $(CMAKE_FILES:%=$(INSTALLED)/%)
	rmdir $(INSTALLED)/lib/cmake/bloom 2>/dev/null || :

check-cmake: | build
	@CC="$(CC)" CXX="$(CXX)" VERSION=$(VERSION) MAKE="$(MAKE) -s" \
	    sh examples/cmake/tests/run.sh
.PHONY: check-cmake
