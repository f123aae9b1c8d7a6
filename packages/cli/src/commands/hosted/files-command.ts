import { Command } from 'commander'
import type { Io } from '../../io.ts'
import type { FileGetFlags } from './command-flags.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted files list sesn_01…                 what it left in /mnt/session/outputs
  steward hosted files get file_01…                  under its own name, here
  steward hosted files get file_01… --out a.pdf
`

export const createHostedFilesCommand = (io: Io): Command =>
  new Command('files')
    .description("A session's outputs: list, get.")
    .addCommand(createListCommand(io))
    .addCommand(createGetCommand(io))
    .addHelpText('after', HELP)

const load = () => import('./files.ts')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('Shows what a session left behind.')
    .argument('<session>', 'its id')
    .action(async (session: string, flags: TargetFlags) =>
      (await load()).listOutputs(io, session, flags),
    )

const createGetCommand = (io: Io): Command =>
  withTarget(new Command('get'))
    .description('Fetches a file; an existing one is kept unless --force is given.')
    .argument('<file>', 'its id')
    .option('--out <path>', 'where to, when not under its own name here')
    .option('--force', 'overwrite')
    .action(async (file: string, flags: FileGetFlags) => (await load()).getFile(io, file, flags))
