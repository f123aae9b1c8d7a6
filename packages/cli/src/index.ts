export { createIo, type Io } from './io.ts'
export { runProgram } from './run-program.ts'
