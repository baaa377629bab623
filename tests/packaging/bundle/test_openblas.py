from __future__ import annotations

from bundle.openblas import plain_names, stand_in

OWN = "mlx_cpu.libs"


def test_functions_get_the_names_by_which_mlx_calls_them():
    assert plain_names(["scipy_sgemm_", "gotoblas", "scipy_cblas_sgemm"]) == (
        "scipy_cblas_sgemm cblas_sgemm\nscipy_sgemm_ sgemm_\n"
    )


def test_openblas_stands_in_for_mlx_s_own_libraries_and_theirs_stay_out():
    ours = (f"{OWN}/libopenblas.so.0", "/x", "BINARY")
    other = ("numpy.libs/libgfortran-04.so.5.0.0", "/x", "BINARY")
    link = ("libblas-bd8a.so.3.10.0", f"{OWN}/libblas-bd8a.so.3.10.0", "SYMLINK")
    files = [
        ours,
        (f"{OWN}/libblas-bd8a.so.3.10.0", "/x", "BINARY"),
        (f"{OWN}/libgfortran-f737.so.5.0.0", "/x", "BINARY"),
        ("libgfortran-f737.so.5.0.0", f"{OWN}/libgfortran-f737.so.5.0.0", "SYMLINK"),
        link,
        other,
    ]
    stood_in = (f"{OWN}/libblas-bd8a.so.3.10.0", "libopenblas.so.0", "SYMLINK")
    assert stand_in(files) == [ours, stood_in, link, other]
