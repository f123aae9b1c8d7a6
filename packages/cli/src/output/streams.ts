/**
 * `steward list | head -1` is not an error: if the reader of the answer is gone, exit quietly. A
 * closed stderr is no reason to stop a run.
 */
export const endQuietlyOnClosedPipe = (process: NodeJS.Process): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/**
 * Standard output is for data. A library that prints with `console.log` would corrupt the JSON that
 * the next program reads.
 */
export const sendConsoleToStderr = (process: NodeJS.Process): void => {
  Object.assign(console, new console.Console(process.stderr))
}

/** Resolves when everything written so far was flushed, or the reader is gone. */
export const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve())
  })
