"""The rules of functions.txt, as generate_stand_ins.py holds them. usage: generator_test.py GENERATOR"""

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location("generator", sys.argv.pop(1))
generator = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generator)

IMPORTED = {"cublasSgemm_v2", "cublasDgemm_v2", "cublasSetStream_v2", "cublasGetStream_v2", "cudaMalloc"}


def harmless(*rows):
    return generator.harmless_functions([(pattern, "computes", "a reason") for pattern in rows], IMPORTED, {"cudaMalloc"}, True)


class HarmlessRows(unittest.TestCase):
    def test_a_row_names_a_function_or_a_family(self):
        self.assertEqual(set(harmless("cublasSetStream_v2", "cublas[SD]gemm_v2")),
                         {"cublasSetStream_v2", "cublasSgemm_v2", "cublasDgemm_v2"})

    def test_a_row_that_matches_nothing_is_refused(self):
        with self.assertRaisesRegex(generator.Complaint, "cublasHgemm matches no function"):
            harmless("cublasHgemm")

    def test_two_rows_may_not_match_one_function(self):
        with self.assertRaisesRegex(generator.Complaint, "two rows match cublasSgemm_v2"):
            harmless("cublasSgemm_v2", "cublas?gemm_v2")

    def test_what_is_written_by_hand_may_not_be_declared_harmless(self):
        with self.assertRaisesRegex(generator.Complaint, "cudaMalloc, which is written by hand"):
            harmless("cudaMalloc")

    def test_what_gives_an_answer_may_not_do_nothing(self):
        with self.assertRaisesRegex(generator.Complaint, "cublasGetStream_v2 gives an answer"):
            harmless("cublasGetStream_v2")

    def test_only_some_libraries_can_say_that_the_card_does_not_support_something(self):
        rows = [("nvmlDeviceGetFanSpeed", "unsupported", "a reason"), ("cudaMalloc", "unsupported", "a reason")]
        self.assertEqual(generator.harmless_functions(rows[:1], {"nvmlDeviceGetFanSpeed"}, set(), True),
                         {"nvmlDeviceGetFanSpeed": ("unsupported", "a reason")})
        with self.assertRaisesRegex(generator.Complaint, "cudaMalloc is of no library that can say"):
            generator.harmless_functions(rows[1:], IMPORTED, set(), True)

    def test_every_row_has_a_kind_and_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "functions.txt"
            file.write_text("# comment\n\ncublasSgemm_v2   computes  on the device\n")
            self.assertEqual(generator.read_rows(file), [("cublasSgemm_v2", "computes", "on the device")])
            file.write_text("# comment\n\ncublasSgemm_v2   computes  on the device\ncublasDgemm_v2 computes\n")
            with self.assertRaisesRegex(generator.Complaint, "functions.txt:4: cublasDgemm_v2 has no reason"):
                generator.read_rows(file)
            file.write_text("cublasSgemm_v2   multiplies on the device\n")
            with self.assertRaisesRegex(generator.Complaint, "functions.txt:1: cublasSgemm_v2 is of no kind"):
                generator.read_rows(file)

    def test_what_only_sets_is_told_from_what_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            kinds = {"cublasSgemm_v2": ("computes", "on the device"), "cublasSetStream_v2": ("sets", "nothing")}
            names = {name: None for name in IMPORTED}
            generator.write_stand_in(Path(folder), "libcublas.so.13", names, kinds, {"cudaMalloc", "cublasDgemm_v2"})
            text = (Path(folder) / "libcublas.so.13.cpp").read_text()
        self.assertEqual(text.splitlines()[1:], ["TIDEMARK_REFUSES(cublasGetStream_v2)", "TIDEMARK_SETS(cublasSetStream_v2)",
                                                 "TIDEMARK_COMPUTES(cublasSgemm_v2)"])


    def test_nvml_refuses_in_its_own_words(self):
        with tempfile.TemporaryDirectory() as folder:
            names = {"nvmlDeviceGetFanSpeed": None, "nvmlDeviceGetSerial": None}
            generator.write_stand_in(Path(folder), generator.NVML, names, {"nvmlDeviceGetFanSpeed": ("unsupported", "")}, set())
            text = (Path(folder) / f"{generator.NVML}.cpp").read_text()
        self.assertEqual(text.splitlines()[1:], ["TIDEMARK_UNSUPPORTED(nvmlDeviceGetFanSpeed)", "TIDEMARK_NVML_REFUSES(nvmlDeviceGetSerial)"])

    def test_what_the_driver_and_cufile_do_not_support_is_told(self):
        for soname, function, macro in (("libcuda.so.1", "cuDeviceGetDevResource", "DRIVER"), ("libcufile.so.0", "cuFileBufRegister", "FILE")):
            with tempfile.TemporaryDirectory() as folder:
                generator.write_stand_in(Path(folder), soname, {function: None}, {function: ("unsupported", "")}, set())
                text = (Path(folder) / f"{soname}.cpp").read_text()
            self.assertEqual(text.splitlines()[1:], [f"TIDEMARK_{macro}_UNSUPPORTED({function})"])


class Versions(unittest.TestCase):
    def test_they_are_those_that_the_wheel_names(self):
        requirements = ('Requires-Dist: nvidia-cublas-cu12==12.4.5.8; platform_system == "Linux"\n'
                        'Requires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"\n'
                        'Requires-Dist: nvidia-nccl-cu12 (==2.21.5)\n')
        self.assertEqual(generator.library_versions((12, 4), requirements),
                         {"cuda": 12040, "cudnn": 90100, "nccl": 22105, "cublas": 120405})

    def test_of_a_toolkit_that_is_named_as_a_whole_the_parts_are_known(self):
        requirements = ("Requires-Dist: cuda-toolkit[cublas,cudart]==13.0.2\n"
                        "Requires-Dist: nvidia-cudnn-cu13==9.19.0.56\nRequires-Dist: nvidia-nccl-cu13==2.28.9\n")
        self.assertEqual(generator.library_versions((13, 0), requirements)["cublas"], 130100)

    def test_a_wheel_that_does_not_say_is_refused(self):
        with self.assertRaisesRegex(generator.Complaint, "which cudnn it needs"):
            generator.library_versions((12, 4), "Requires-Dist: nvidia-nccl-cu12==2.21.5")

    def test_cuda_is_the_one_that_torch_was_built_with(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "version.py"
            for line in ("cuda: Optional[str] = '12.4'", "cuda = '12.4'"):
                file.write_text(f"debug = False\n{line}\nhip: Optional[str] = None\n")
                self.assertEqual(generator.cuda_version(Path(folder)), (12, 4))
            file.write_text("cuda: Optional[str] = None\n")
            with self.assertRaisesRegex(generator.Complaint, "names no version of CUDA"):
                generator.cuda_version(Path(folder))


class Libraries(unittest.TestCase):
    def test_the_driver_has_the_old_forms_of_its_functions_too(self):
        header = (
            "#define cuInit_is_not_one 1\n"
            "#define cuStreamWriteValue32 cuStreamWriteValue32_v2\n#define cuMemFree __CUDA_API_PTSZ(cuMemFree_v2)\n"
            "CUresult cuMemMap(int);\nCUresult cuMemFree_v2(int);\nCUresult cuStreamWriteValue32_v2(int);\n"
        )
        self.assertEqual(
            generator.declared_functions(header, *generator.HEADERS["libcuda.so"][1:]),
            {"cuMemMap", "cuMemFree", "cuMemFree_v2", "cuStreamWriteValue32", "cuStreamWriteValue32_v2"},
        )

    def test_the_runtime_has_more_than_libtorch_asks_of_it(self):
        header = (
            "#define cudaGetDeviceProperties cudaGetDeviceProperties_v2\n"
            "extern __attribute__((host)) cudaError_t cudaMemPrefetchAsync(int);\nextern cudaError_t cudaGetDeviceProperties_v2(int);\n"
        )
        self.assertEqual(
            generator.declared_functions(header, *generator.HEADERS["libcudart.so"][1:]),
            {"cudaMemPrefetchAsync", "cudaGetDeviceProperties", "cudaGetDeviceProperties_v2"},
        )

    def test_a_function_belongs_to_the_library_of_its_name(self):
        sonames = ["libcuda.so.1", "libcudart.so.13", "libcufile.so.0", "libcusparse.so.12", "libcusparseLt.so.0"]
        of = lambda name: generator.soname_by_prefix(name, sonames)
        self.assertEqual(of("cuMemMap"), "libcuda.so.1")
        self.assertEqual(of("cudaMalloc"), "libcudart.so.13")
        self.assertEqual(of("__cudaRegisterVar"), "libcudart.so.13")
        self.assertEqual(of("cusparseCreate"), "libcusparse.so.12")
        self.assertEqual(of("cusparseLtInit"), "libcusparseLt.so.0")
        self.assertEqual(of("cuFileRead"), "libcufile.so.0")
        self.assertIsNone(of("memcpy"))


if __name__ == "__main__":
    unittest.main()
