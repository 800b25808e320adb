# An overlay port. It takes the headers from the checkout that this file is in.
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release)           # headers only
vcpkg_cmake_configure(SOURCE_PATH "${root}/examples/packages")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME bloom CONFIG_PATH lib/cmake/bloom)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")

# The end of bloom.h is its licence.
file(READ "${root}/bloom.h" licence)
string(FIND "${licence}" "/* ---- Licence" start)
string(SUBSTRING "${licence}" ${start} -1 licence)
file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" "${licence}")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage"
    DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
