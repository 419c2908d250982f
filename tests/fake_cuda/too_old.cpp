// A driver without most of the functions that bifold needs.
extern "C" {
__attribute__((visibility("default"))) int cuInit(unsigned flags);
int cuInit(unsigned) { return 0; }
}
