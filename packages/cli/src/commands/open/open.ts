import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { createSignInUrl } from './create-sign-in-url.ts'
import { openBrowser } from './open-browser.ts'

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
    .description('Opens the dashboard in a browser that is then signed in.')
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
