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

/** Resolves when everything written so far has left the process, or its reader is gone. */
export const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve())
  })
