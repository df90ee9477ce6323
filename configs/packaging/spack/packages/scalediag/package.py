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
    depends_on("qemu", when="+simulate", type="run")

    # the pages that it writes contain Chart.js 3: its file is not downloaded here
    def chart(self):
        path = os.environ.get("CHART_JS", "")
        if not os.path.isfile(path):
            raise InstallError("set CHART_JS to the path of chart.min.js, of Chart.js 3")
        return "CHART_JS=" + path

    def build(self, spec, prefix):
        make("all", "manual-pages", "COMMIT=" + str(self.version), self.chart())

    def install(self, spec, prefix):
        make("install-built", "PREFIX=" + prefix, "COMMIT=" + str(self.version), self.chart())
