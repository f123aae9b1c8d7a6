import { Command, Option } from 'commander'
import { collectOption } from '../../input/collect-option.ts'
import type { Io } from '../../io.ts'
import type { EnvironmentFlags } from './command-flags.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted environments create --name open                                the whole internet
  steward hosted environments create --name docs --allow-host example.com --allow-host '*.mdn.dev'
  steward hosted environments create --name sealed --offline                    nothing outside
  steward hosted environments create --name py --package pip:pandas --package-managers --offline
  steward hosted environments create --name laptop --self-hosted                your own worker runs tools

A change touches sandboxes that are made after it.
`

export const createHostedEnvironmentsCommand = (io: Io): Command =>
  new Command('environments')
    .description('Environments: where tools run, and what they reach.')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createUpdateCommand(io))
    .addCommand(
      createEndCommand(io, 'archive', 'Archives an environment: it takes no new session.'),
    )
    .addCommand(createEndCommand(io, 'delete', 'Deletes an environment.'))
    .addHelpText('after', HELP)

const load = () => import('./environments.ts')

const withFields = (command: Command): Command =>
  withTarget(command)
    .option('--name <name>', 'its name')
    .option('--description <text>', 'what it is for')
    .addOption(
      new Option('--self-hosted', 'a worker of your own runs the tools').conflicts([
        'allowHost',
        'offline',
        'packageManagers',
        'package',
      ]),
    )
    .option(
      '--allow-host <host>',
      'a host that may be reached, and no others; repeatable',
      collectOption,
    )
    .option('--offline', 'no host at all')
    .option(
      '--package-managers',
      "with --allow-host or --offline: the package managers' own hosts too",
    )
    .option(
      '--package <manager:name>',
      'installed before the first call; repeatable',
      collectOption,
    )
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('Shows environments.')
    .option('--archived', 'also archived ones')
    .action(async (flags: TargetFlags & { archived?: true }) =>
      (await load()).listEnvironments(io, flags),
    )

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Shows one environment.')
    .argument('<environment>', 'its id or name')
    .action(async (word: string, flags: TargetFlags) =>
      (await load()).showEnvironment(io, word, flags),
    )

const createCreateCommand = (io: Io): Command =>
  withFields(new Command('create'))
    .description('Makes an environment; open to the internet unless told otherwise.')
    .action(async (flags: EnvironmentFlags) => (await load()).createEnvironment(io, flags))

const createUpdateCommand = (io: Io): Command =>
  withFields(new Command('update'))
    .description('Changes an environment.')
    .argument('<environment>', 'its id or name')
    .action(async (word: string, flags: EnvironmentFlags) =>
      (await load()).updateEnvironment(io, word, flags),
    )

const createEndCommand = (io: Io, how: 'archive' | 'delete', description: string): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<environment>', 'its id or name')
    .action(async (word: string, flags: TargetFlags) =>
      (await load()).endEnvironment(io, how, word, flags),
    )
