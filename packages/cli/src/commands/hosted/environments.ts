import { isFields, StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import type { EnvironmentFlags } from './command-flags.ts'
import { configOf } from './environment-config.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { renderEnvironment, renderEnvironments } from './render-environment.ts'
import type { TargetFlags } from './target.ts'
import type { Environment, EnvironmentChange, HostedClient, NewEnvironment } from './types.ts'
import { withServer } from './with-server.ts'

export const listEnvironments = (io: Io, flags: TargetFlags & { archived?: true }): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const include_archived = flags.archived === true
    const found = await gather(client.beta.environments.list({ include_archived }))
    if (flags.json) printJson(io.out, found)
    else io.out.write(renderEnvironments(found, io.out.paint))
  })

export const showEnvironment = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const id = await findEnvironment(client, word)
    report(io, await client.beta.environments.retrieve(id), flags)
  })

export const createEnvironment = (io: Io, flags: EnvironmentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = await readFields(io, flags)
    requireFields(body, { name: '--name' })
    if (!isNewEnvironment(body)) throw unreadable()
    report(io, await client.beta.environments.create(body), flags)
  })

export const updateEnvironment = (io: Io, word: string, flags: EnvironmentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = await readFields(io, flags)
    const change = isEnvironmentChange(body) ? body : {}
    const id = await findEnvironment(client, word)
    report(io, await client.beta.environments.update(id, change), flags)
  })

export const endEnvironment = (
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
  isFields(body) && typeof body.name === 'string' && cleanText(body.name) !== ''

const isEnvironmentChange = (body: object): body is EnvironmentChange => isFields(body)

const unreadable = (): StewardError =>
  new StewardError('invalid_input', { subject: 'name', reason: 'it must be text', field: 'name' })
