import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import { gather } from './gather.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted files upload report.pdf                      prints file_01…
  steward hosted resources add sesn_01… file_01… --path /workspace/report.pdf
  steward hosted resources list sesn_01…

A file that you add later is available at the next tool call.
`

export const createHostedResourcesCommand = (io: Io): Command =>
  new Command('resources')
    .description('Manage the files and repositories of a session')
    .addCommand(createListCommand(io))
    .addCommand(createAddCommand(io))
    .addCommand(createDeleteCommand(io))
    .addHelpText('after', HELP)

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List the resources of a session')
    .argument('<session>', 'its id')
    .action((session: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => gather(client.beta.sessions.resources.list(session)),
        (resources) =>
          resources.length === 0
            ? 'none\n'
            : formatTable(
                resources.map((each) => [
                  'id' in each ? String(each.id) : '',
                  each.type,
                  cleanText(each.mount_path ?? ''),
                ]),
              ),
      ),
    )

const createAddCommand = (io: Io): Command =>
  withTarget(new Command('add'))
    .description('Give a session an uploaded file')
    .argument('<session>', 'its id')
    .argument('<file>', 'the id of the file')
    .option('--path <path>', 'where it appears (default: below /mnt/session/uploads)')
    .action((session: string, file_id: string, flags: TargetFlags & { path?: string }) =>
      showAnswer(
        io,
        flags,
        (client) =>
          client.beta.sessions.resources.add(session, {
            type: 'file',
            file_id,
            ...(flags.path === undefined ? {} : { mount_path: flags.path }),
          }),
        ({ id }) => `${id}\n`,
      ),
    )

const createDeleteCommand = (io: Io): Command =>
  withTarget(new Command('delete'))
    .description('Remove a resource from a session')
    .argument('<session>', 'its id')
    .argument('<resource>', 'its id')
    .action((session_id: string, resource: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => client.beta.sessions.resources.delete(resource, { session_id }),
        ({ id }) => `${id} is deleted\n`,
      ),
    )
