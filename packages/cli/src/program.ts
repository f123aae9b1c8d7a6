import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { COMMANDS, findCommand } from './commands/index.ts'
import type { Io } from './io.ts'

const EXAMPLES = `
Examples:
  steward list                                       list everything that can run
  steward run A_SUMMARIZE --local --content @a.md    run one action on a file's text
  steward trigger F_SAMPLE_DIGEST                    run the sample flow
  steward runs                                       list past runs and their results
  steward doctor                                     check the installation

Every command has --help. The data home is STEWARD_HOME, or ~/.steward.
`

/** Subcommands of `service` that people also look for at the top. */
const OF_SERVICE = new Set(['install', 'uninstall', 'stop', 'restart', 'status', 'logs'])

/** The whole command line; loads only the command that the arguments name. */
export const createProgram = async (io: Io): Promise<Command> => {
  const program = new Command('steward')
    .description('Runs your AI automation: actions, pipelines and flows.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(steward --help lists all commands)')
    .enablePositionalOptions()
  const [word = ''] = wordsOf(io.args)
  if (OF_SERVICE.has(word)) {
    program.showSuggestionAfterError(false).showHelpAfterError(`(Did you mean service ${word}?)`)
  }
  const wanted = findWanted(io.args)
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command =
      name === wanted ? (await entry.load())(io) : new Command(name).allowUnknownOption()
    command.summary(entry.summary)
    if (command.description() === '') command.description(entry.summary)
    for (const alias of entry.aliases ?? []) command.alias(alias)
    program.addCommand(command, { hidden: entry.hidden === true })
  }
  prepare(program, io)
  return program
}

const wordsOf = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith('-'))

const findWanted = (args: readonly string[]): string | undefined => {
  const words = wordsOf(args)
  const word = words[0] === 'help' ? words[1] : words[0]
  return word === undefined ? undefined : findCommand(word)?.name
}

const prepare = (command: Command, io: Io): void => {
  command.exitOverride()
  command.configureOutput({
    writeOut: io.out.write,
    writeErr: io.err.write,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    outputError: (text, write) => write(io.err.paint.red(text)),
  })
  command.configureHelp({ subcommandTerm: (sub) => sub.name() })
  for (const sub of command.commands) prepare(sub, io)
}
