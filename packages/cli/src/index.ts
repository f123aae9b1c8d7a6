export { createStartCommand } from './commands/start/start.ts'
export { handleThrown } from './errors/handle-thrown.ts'
export { listenForInterruption } from './interruption.ts'
export { createIo, type Io } from './io.ts'
