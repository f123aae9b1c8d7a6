import { spawn } from 'node:child_process'

/** Hands an address to the person's browser; says what kept it from that, if anything did. */
export const openBrowser = (url: string, platform: NodeJS.Platform): Promise<string | undefined> =>
  new Promise((resolve) => {
    const program = platform === 'darwin' ? 'open' : 'xdg-open'
    const child = spawn(program, [url], { stdio: 'ignore', detached: true })
    child.once('error', ({ message }) => resolve(message))
    child.once('spawn', () => {
      child.unref()
      resolve(undefined)
    })
  })
