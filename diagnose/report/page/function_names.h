/*
 * Names of functions for readers. JSON has the full names.
 */
#ifndef SD_FUNCTION_NAMES_H
#define SD_FUNCTION_NAMES_H

/*
 * The function as one who wrote it calls it, without template arguments and parameters:
 * "a::f<…>()". Operators keep their signs; a name that is no C or C++ gets "()" like any other.
 * What compilers make up is said in words: "parallel region at heat.f90:12", "lambda in main()",
 * "closure in run()". Fortran's modules: "grid::norm()"; Rust's implementations: "Slow::score()";
 * Go without the path of the package: "yaml.v3.(*decoder).mapping()"; Python: "Model.step()
 * app.py".
 */
char *sd_name_function(const char *function); /* fresh, or NULL */

#endif
