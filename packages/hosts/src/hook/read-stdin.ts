/** A host that never closes the pipe must not keep a process here for ever. */
const LONGEST_WAIT_MS = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** All of standard input; what came so far when it takes too long or is too much. */
export const readStdin = (stdin: NodeJS.ReadStream): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = () => {
      clearTimeout(timer)
      stdin.removeAllListeners()
      stdin.destroy()
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    const timer = setTimeout(finish, LONGEST_WAIT_MS)
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_BYTES) finish()
    })
    stdin.once('end', finish)
    stdin.once('error', finish)
  })
