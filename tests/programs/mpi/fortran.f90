! Rank 0 computes 3 times what each other does, then all meet; by the calls of `use mpi`.
program fortran
   use mpi
   implicit none
   integer :: ierr, rank, ranks, i, k, q(2)
   double precision :: x, a, b

   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
   do i = 1, 20
      x = 1d0
      do k = 1, 10000000 * merge(3, 1, rank == 0) / (ranks + 2)
         x = x * 1.0000001d0 + 1d-9
      end do
      a = x
      call MPI_Allreduce(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      call MPI_Irecv(b, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, q(1), ierr)
      call MPI_Isend(a, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, q(2), ierr)
      call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
   end do
   call MPI_Finalize(ierr)
end program
