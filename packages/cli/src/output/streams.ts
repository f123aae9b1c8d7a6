/**
 * `steward list | head -1` is no mistake: once the reader of the answer is gone there is nothing
 * more to say. Nobody reading the progress is no reason to stop a run.
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
 * Standard output is for data. Actions run in this process, and what one prints with `console.log`
 * would stand in the middle of the JSON that the next program reads.
 */
export const sendConsoleToStderr = (process: NodeJS.Process): void => {
  Object.assign(console, new console.Console(process.stderr))
}

/** Resolves when everything written so far has left the process, or its reader is gone. */
export const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve())
  })
