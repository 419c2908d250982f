# Builds the API reference anew in REFERENCE_DIR, which holds its Doxyfile, and fails where anything
# public is not in it. Set by the caller: DOXYGEN, PYTHON, SOURCE_DIR, REFERENCE_DIR.
file(REMOVE_RECURSE ${REFERENCE_DIR}/html ${REFERENCE_DIR}/xml)
execute_process(COMMAND ${DOXYGEN} ${REFERENCE_DIR}/Doxyfile
                WORKING_DIRECTORY ${SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PYTHON} ${SOURCE_DIR}/docs/check_reference.py ${REFERENCE_DIR}
                COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "API reference: ${REFERENCE_DIR}/html/index.html")
