import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { openSessionsClient } from './sessions-client.ts'

const HELP = `
Examples:
  steward sessions diff 8fb4b951
  steward sessions diff 8fb4b951 > work.patch
  steward sessions diff 8fb4b951 | git -C ~/site apply
`

export const createDiffCommand = (io: Io): Command =>
  new Command('diff')
    .description('Print the changes of a started session as a patch')
    .argument('<id>', 'the session: its id, or the beginning of it')
    .addHelpText('after', HELP)
    .action(async (id: string) => {
      const client = await openSessionsClient(io)
      const { diff, truncated } = await client.call('getSessionDiff', { params: { id } })
      if (diff === null) {
        io.err.write(
          'the project is not a git repository, and the session has no copy, so there is no diff\n',
        )
        io.exitCode = 1
        return
      }
      io.out.write(io.out.isTerminal ? diff.split('\n').map(cleanText).join('\n') : diff)
      if (truncated) io.err.write('The diff is cut; its branch or patch has all of it.\n')
    })
