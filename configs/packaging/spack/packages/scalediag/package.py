# A Spack recipe: spack repo add configs/packaging/spack, then spack dev-build scalediag@0.1.0 in the sources.
import os

from spack.package import *


class Scalediag(MakefilePackage):
    """Why a program does not get faster with more cores: where every core went, which causes there are, what each is worth."""

    version("0.1.0")

    variant("simulate", default=True, description="QEMU's user mode, for the software PMU")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("capstone")
    depends_on("hwloc@2:")
    depends_on("jansson@2.14:")
    depends_on("libconfig")
    depends_on("muparser")
    depends_on("libpfm4")
    depends_on("elfutils")
    depends_on("xz")
    depends_on("sqlite")
    depends_on("binutils+libiberty")
    depends_on("qemu@9:", when="+simulate", type="run")

    # the pages that it writes contain Chart.js 3, where CHART_JS names chart.min.js; else their tables stand alone
    def chart(self):
        path = os.environ.get("CHART_JS", "none")
        if path != "none" and not os.path.isfile(path):
            raise InstallError("CHART_JS names no file: " + path)
        return "CHART_JS=" + path

    def build(self, spec, prefix):
        make("all", "manual-pages", "COMMIT=" + str(self.version), self.chart())

    def install(self, spec, prefix):
        make("install-built", "PREFIX=" + prefix, "COMMIT=" + str(self.version), self.chart())
