import { StewardError } from '@steward/contract'
import { Command, Option } from 'commander'
import { collectOption } from '../../input/option-values.ts'
import { isTerminalInput, promptHidden } from '../../input/prompt-hidden.ts'
import { readStdin } from '../../input/read-stdin.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { HostedClient } from './types.ts'

interface AddFlags extends TargetFlags {
  server?: string
  variable?: string
  host?: string[]
  name?: string
}

const HELP = `
Examples:
  steward hosted vaults create --name work
  steward hosted vaults add work --server https://mcp.example.com/mcp       asks for the token
  pass show api | steward hosted vaults add work --variable API_KEY --host api.example.com
  steward hosted vaults show work

Secrets come from a prompt or standard input, never from arguments, and are never shown again. Sandboxes
see a placeholder; a proxy inserts the secret into requests to the allowed hosts.
`

export const createHostedVaultsCommand = (io: Io): Command =>
  new Command('vaults')
    .description('Manage vaults and their credentials')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createCreateCommand(io))
    .addCommand(createShowCommand(io))
    .addCommand(createAddCommand(io))
    .addCommand(createRemoveCommand(io))
    .addCommand(createEndCommand(io, 'archive', 'Archive a vault; its secrets are erased'))
    .addCommand(createEndCommand(io, 'delete', 'Delete a vault'))
    .addHelpText('after', HELP)

const findVault = (client: HostedClient, word: string): Promise<string> =>
  findByName('vault', word, 'vlt_', async function* () {
    for await (const { id, display_name } of client.beta.vaults.list())
      yield { id, name: display_name }
  })

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List vaults')
    .action((flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => gather(client.beta.vaults.list()),
        (vaults) =>
          vaults.length === 0
            ? `none yet: ${COMMAND} hosted vaults create --name NAME\n`
            : formatTable(vaults.map(({ id, display_name }) => [id, cleanText(display_name)])),
      ),
    )

const createCreateCommand = (io: Io): Command =>
  withTarget(new Command('create'))
    .description('Create a vault')
    .requiredOption('--name <name>', 'its name')
    .action((flags: TargetFlags & { name: string }) =>
      showAnswer(
        io,
        flags,
        (client) => client.beta.vaults.create({ display_name: flags.name }),
        ({ id }) => `${id}\n`,
      ),
    )

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('List the credentials of a vault, without secrets')
    .argument('<vault>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          gather(client.beta.vaults.credentials.list(await findVault(client, word))),
        (credentials) =>
          credentials.length === 0
            ? 'it is empty\n'
            : formatTable(
                credentials.map(({ id, auth, display_name }) => [
                  id,
                  auth.type,
                  cleanText('secret_name' in auth ? auth.secret_name : auth.mcp_server_url),
                  cleanText(display_name ?? ''),
                ]),
              ),
      ),
    )

const createAddCommand = (io: Io): Command =>
  withTarget(new Command('add'))
    .description('Add a credential; secret from a prompt or standard input')
    .argument('<vault>', 'its id or name')
    .addOption(
      new Option('--server <url>', 'the MCP server that gets it as a bearer token').conflicts([
        'variable',
        'host',
      ]),
    )
    .option('--variable <name>', 'the environment variable with its placeholder')
    .option('--host <host>', 'with --variable: a host that may get it; repeatable', collectOption)
    .option('--name <name>', 'its name')
    .action((word: string, flags: AddFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const vault = await findVault(client, word)
          const auth = authOf(flags, await readSecret(io))
          return client.beta.vaults.credentials.create(vault, {
            auth,
            ...(flags.name === undefined ? {} : { display_name: flags.name }),
          })
        },
        ({ id }) => `${id}\n`,
      ),
    )

const createRemoveCommand = (io: Io): Command =>
  withTarget(new Command('remove'))
    .description('Delete a credential')
    .argument('<vault>', 'its id or name')
    .argument('<credential>', 'its id')
    .action((word: string, credential: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) =>
          client.beta.vaults.credentials.delete(credential, {
            vault_id: await findVault(client, word),
          }),
        ({ id }) => `${id} is deleted\n`,
      ),
    )

const createEndCommand = (io: Io, how: 'archive' | 'delete', description: string): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<vault>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client): Promise<{ id: string }> =>
          client.beta.vaults[how](await findVault(client, word)),
        ({ id }) => `${id} is ${how}d\n`,
      ),
    )

const authOf = ({ server, variable, host }: AddFlags, secret: string) => {
  if (server !== undefined)
    return { type: 'static_bearer' as const, mcp_server_url: server, token: secret }
  if (variable === undefined || host === undefined)
    throw refuse('credential', 'give --server, or --variable with --host')
  return {
    type: 'environment_variable' as const,
    secret_name: variable,
    secret_value: secret,
    networking: { type: 'limited' as const, allowed_hosts: host },
  }
}

const readSecret = async (io: Io): Promise<string> => {
  const given = isTerminalInput(io.stdin)
    ? await promptHidden(io.stdin, io.err, 'secret: ')
    : await readStdin(io, 'wait')
  const secret = given?.trim() ?? ''
  if (secret === '') throw refuse('secret', 'it is empty; type it or pipe it in')
  return secret
}

const refuse = (subject: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject, reason })
