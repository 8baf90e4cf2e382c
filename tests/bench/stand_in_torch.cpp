// What stands behind the probe's gate at SavedVariable, as LibTorch would, and does nothing.
extern "C" {
__attribute__((visibility("default"))) void SavedVariable(
    void* self, const void* tensor, bool is_output, bool is_inplace_on_view) __asm__(TIDEMARK_SAVED_VARIABLE);
void SavedVariable(void* /*self*/, const void* /*tensor*/, bool /*is_output*/, bool /*is_inplace_on_view*/) {}
}
