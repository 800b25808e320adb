# Read by find_package(bloom VERSION). This version is compatible if the
# requested one has the same major number and is not newer. If a range is
# requested, this version must not be newer than its end.
set(PACKAGE_VERSION "@VERSION@")
string(REGEX MATCH "^[0-9]+" major "${PACKAGE_VERSION}")
if(PACKAGE_FIND_VERSION_MAJOR EQUAL major
        AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(PACKAGE_FIND_VERSION_RANGE)
    if(PACKAGE_VERSION VERSION_GREATER PACKAGE_FIND_VERSION_MAX
            OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "EXCLUDE"
                AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX))
        set(PACKAGE_VERSION_COMPATIBLE FALSE)
    endif()
endif()
