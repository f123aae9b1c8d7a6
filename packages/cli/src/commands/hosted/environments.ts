import { isJsonObject, StewardError } from '@steward/contract'
import { Command, Option } from 'commander'
import { collectOption } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { configOf, type EnvironmentFlags } from './environment-config.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { renderEnvironment, renderEnvironments } from './render-environment.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { Environment, EnvironmentChange, HostedClient, NewEnvironment } from './types.ts'
import { withServer } from './with-server.ts'

const HELP = `
Examples:
  steward hosted environments create --name open                                any public host
  steward hosted environments create --name docs --allow-host example.com --allow-host '*.mdn.dev'
  steward hosted environments create --name data --allow-host db.example.com:5432    only this port
  steward hosted environments create --name sealed --offline                    no network
  steward hosted environments create --name py --package pip:pandas --package-managers --offline
  steward hosted environments create --name laptop --self-hosted                your own worker runs tools

A change applies to sandboxes that are created after it.
`

export const createHostedEnvironmentsCommand = (io: Io): Command =>
  new Command('environments')
    .description('Manage where tools run and which hosts they reach')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createUpdateCommand(io))
    .addCommand(createEndCommand(io, 'archive', 'Archive an environment; no new sessions'))
    .addCommand(createEndCommand(io, 'delete', 'Delete an environment'))
    .addHelpText('after', HELP)

const withFields = (command: Command): Command =>
  withTarget(command)
    .option('--name <name>', 'its name')
    .option('--description <text>', 'its purpose')
    .addOption(
      new Option('--self-hosted', 'your own worker runs the tools').conflicts([
        'allowHost',
        'offline',
        'packageManagers',
        'package',
      ]),
    )
    .option(
      '--allow-host <host[:port]>',
      'allow only this host, at 80 and 443 or the given port; repeatable',
      collectOption,
    )
    .option('--offline', 'allow no host')
    .option(
      '--package-managers',
      "with --allow-host or --offline: also allow the package managers' hosts",
    )
    .option('--package <manager:name>', 'install before the first call; repeatable', collectOption)
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List environments')
    .option('--archived', 'also archived ones')
    .action((flags: TargetFlags & { archived?: true }) => listEnvironments(io, flags))

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Show an environment')
    .argument('<environment>', 'its id or name')
    .action((word: string, flags: TargetFlags) => showEnvironment(io, word, flags))

const createCreateCommand = (io: Io): Command =>
  withFields(new Command('create'))
    .description('Create an environment, by default with internet access')
    .action((flags: EnvironmentFlags) => createEnvironment(io, flags))

const createUpdateCommand = (io: Io): Command =>
  withFields(new Command('update'))
    .description('Update an environment')
    .argument('<environment>', 'its id or name')
    .action((word: string, flags: EnvironmentFlags) => updateEnvironment(io, word, flags))

const createEndCommand = (io: Io, how: 'archive' | 'delete', description: string): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<environment>', 'its id or name')
    .action((word: string, flags: TargetFlags) => endEnvironment(io, how, word, flags))

const listEnvironments = (io: Io, flags: TargetFlags & { archived?: true }): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const include_archived = flags.archived === true
    const found = await gather(client.beta.environments.list({ include_archived }))
    if (flags.json) printJson(io.out, found)
    else io.out.write(renderEnvironments(found, io.out.paint))
  })

const showEnvironment = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const id = await findEnvironment(client, word)
    report(io, await client.beta.environments.retrieve(id), flags)
  })

const createEnvironment = (io: Io, flags: EnvironmentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = await readFields(io, flags)
    requireFields(body, { name: '--name' })
    if (!isNewEnvironment(body)) throw unreadable()
    report(io, await client.beta.environments.create(body), flags)
  })

const updateEnvironment = (io: Io, word: string, flags: EnvironmentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = await readFields(io, flags)
    const change = isEnvironmentChange(body) ? body : {}
    const id = await findEnvironment(client, word)
    report(io, await client.beta.environments.update(id, change), flags)
  })

const endEnvironment = (
  io: Io,
  how: 'archive' | 'delete',
  word: string,
  flags: TargetFlags,
): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const id = await findEnvironment(client, word)
    const { environments } = client.beta
    const answer =
      how === 'archive' ? await environments.archive(id) : await environments.delete(id)
    if (flags.json) printJson(io.out, answer)
    else io.out.write(`${id} is ${how}d\n`)
  })

/** The id of an environment by its id or its name. */
export const findEnvironment = (client: HostedClient, word: string): Promise<string> =>
  findByName('environment', word, 'env_', () => client.beta.environments.list())

const readFields = (io: Io, flags: EnvironmentFlags): Promise<Record<string, unknown>> => {
  const { name, description } = flags
  return readDefinition(io, flags.file, { name, description, config: configOf(flags) })
}

const report = (io: Io, environment: Environment, { json }: TargetFlags): void => {
  if (json) printJson(io.out, environment)
  else io.out.write(renderEnvironment(environment, io.out.paint))
}

const isNewEnvironment = (body: object): body is NewEnvironment =>
  isJsonObject(body) && typeof body.name === 'string' && cleanText(body.name) !== ''

const isEnvironmentChange = (body: object): body is EnvironmentChange => isJsonObject(body)

const unreadable = (): StewardError =>
  new StewardError('invalid_input', { subject: 'name', reason: 'it must be text', field: 'name' })
