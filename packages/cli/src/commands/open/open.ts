import { spawn } from 'node:child_process'
import { createDaemonClient, StewardError } from '@steward/contract'
import { findDaemon, readToken, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'

interface OpenFlags {
  print?: true
  json?: true
}

const HELP = `
The address signs a browser in once, within a minute. It needs the token file of the data home,
so only you can make one.
`

export const createOpenCommand = (io: Io): Command =>
  new Command('open')
    .description('Open the dashboard in a browser, signed in')
    .option('--print', 'only print the address')
    .option('--json', 'print the address as JSON and open nothing')
    .addHelpText('after', HELP)
    .action(async ({ print, json }: OpenFlags) => {
      const { url, expiresAt } = await createSignInUrl(io)
      if (json) {
        printJson({ ...io.out, isTerminal: false }, { url, expiresAt })
        return
      }
      io.out.write(`${url}\n`)
      if (print) return
      const problem = await openBrowser(url, process.platform)
      if (problem !== undefined) {
        io.err.write(`No browser could be opened (${problem}); open the address yourself.\n`)
      }
    })

/** Opens an address in the person's browser; returns the error, if any. */
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

/** An address that signs a browser in, from the running daemon. */
export const createSignInUrl = async (io: Io): Promise<{ url: string; expiresAt: string }> => {
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    const reason = `none runs on ${home.root}; start one with \`${COMMAND} daemon\``
    throw new StewardError('not_configured', { subject: 'the daemon', reason })
  }
  const token = await readToken(home.token)
  const client = createDaemonClient({ base: daemon.address, fetch, token })
  const { code, expiresAt } = await client.call('createAuthCode', { body: {} })
  return { url: client.urlOf('signIn', { query: { code } }), expiresAt }
}
