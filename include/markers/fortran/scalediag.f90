! Regions and progress for Fortran (see scalediag.h). Compile scalediag_fortran.c with it, once a program:
!
!   use scalediag
!   call sd_region_begin("solve")
!   call sd_region_end("solve")
!   call sd_progress("steps", 1_8)
!
! Free to copy into any program.
module scalediag
  use, intrinsic :: iso_c_binding, only: c_char, c_int64_t, c_null_char
  implicit none
  private
  public :: sd_region_begin, sd_region_end, sd_progress

  interface
    subroutine c_begin(name) bind(c, name="sd_fortran_region_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_end(name) bind(c, name="sd_fortran_region_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_progress(name, n) bind(c, name="sd_fortran_progress")
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: n
    end subroutine
  end interface

contains

  subroutine sd_region_begin(name)
    character(len=*), intent(in) :: name
    call c_begin(trim(name) // c_null_char)
  end subroutine

  subroutine sd_region_end(name)
    character(len=*), intent(in) :: name
    call c_end(trim(name) // c_null_char)
  end subroutine

  subroutine sd_progress(name, n)
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: n
    call c_progress(trim(name) // c_null_char, n)
  end subroutine

end module
