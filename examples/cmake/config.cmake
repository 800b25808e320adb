# find_package(bloom) defines the target bloom::bloom, which adds the folder of
# bloom.h to the include path. One file of the program defines
# BLOOM_IMPLEMENTATION. To link the library libbloom-h instead:
#     target_compile_definitions(program PRIVATE BLOOM_API=extern)
#     target_link_libraries(program PRIVATE bloom::bloom bloom-h)
# and target_link_directories, if the library is not where the linker looks.
# The prefix is three folders above this file's; REALPATH makes that true even if
# /lib is a link to /usr/lib.
if(NOT TARGET bloom::bloom)
    get_filename_component(bloom_prefix "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
    get_filename_component(bloom_prefix "${bloom_prefix}/../../.." ABSOLUTE)
    add_library(bloom::bloom INTERFACE IMPORTED)
    set_target_properties(bloom::bloom PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${bloom_prefix}/include/bloom-h")
    unset(bloom_prefix)
endif()
