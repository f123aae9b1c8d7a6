import { type HostedSessionStatus, isJsonObject, StewardError } from '@steward/contract'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findAgent } from './agents.ts'
import { findEnvironment } from './environments.ts'
import { createEventPrinter } from './event-printer.ts'
import { gather } from './gather.ts'
import { budgetOf } from './money.ts'
import { findPending, renderPending } from './pending.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { readEstimated } from './read-estimated.ts'
import { renderSession, renderSessions } from './render-session.ts'
import { messageOf } from './sent-events.ts'
import type { TargetFlags } from './target.ts'
import type { EventKind, HostedClient, NewSession, SessionChange } from './types.ts'
import { withServer } from './with-server.ts'

export interface SessionListFlags extends TargetFlags {
  agent?: string
  status?: HostedSessionStatus
  archived?: true
  limit: number
}

export interface SessionFlags extends TargetFlags {
  agent?: string
  environment?: string
  title?: string
  /** Cents; `none` removes a budget. */
  budget?: string
  vault?: string[]
  message?: string
  file?: string
}

export interface LogFlags extends TargetFlags {
  type?: string[]
  limit: number
}

const SHOWN = { sessions: true }
const PAGE = 1000

export const listSessions = (io: Io, flags: SessionListFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client }) => {
      const pages = client.beta.sessions.list({
        limit: Math.min(flags.limit, PAGE),
        include_archived: flags.archived === true,
        ...(flags.agent === undefined ? {} : { agent_id: await findAgent(client, flags.agent) }),
        ...(flags.status === undefined ? {} : { statuses: [flags.status] }),
      })
      const sessions = await gather(pages, flags.limit)
      if (flags.json) printJson(io.out, sessions)
      else io.out.write(renderSessions(sessions, io.out.paint))
    },
    SHOWN,
  )

export const showSession = (io: Io, id: string, flags: TargetFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async (connection) => {
      const { client, suffix } = connection
      const session = await client.beta.sessions.retrieve(id)
      const pending = await findPending(client, session)
      if (flags.json) {
        printJson(io.out, { ...session, pending })
        return
      }
      const isEstimated = await readEstimated(connection, id)
      io.out.write(renderSession(session, io.out.paint, isEstimated))
      if (pending.length > 0)
        io.out.write(`\n${renderPending(session.id, pending, suffix, io.out.paint)}`)
    },
    SHOWN,
  )

export const showLog = (io: Io, id: string, flags: LogFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client }) => {
      const types = flags.type?.filter(isEventKind)
      const events = client.beta.sessions.events.list(id, {
        limit: Math.min(flags.limit, PAGE),
        ...(types === undefined ? {} : { types }),
      })
      const printer = createEventPrinter(io.out, flags.json === true)
      for (const event of await gather(events, flags.limit)) printer.print(event)
    },
    SHOWN,
  )

/** The server decides which are valid: an unknown one matches nothing. */
const isEventKind = (word: string): word is EventKind => word.includes('.')

export const createSession = (io: Io, flags: SessionFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client, suffix }) => {
      const body = await readNewSession(io, client, flags)
      const session = await client.beta.sessions.create(body)
      if (flags.json) printJson(io.out, session)
      else {
        io.out.write(`${session.id} is ready\n`)
        io.err.write(`next: ${COMMAND} hosted send ${session.id}${suffix} "its task"\n`)
      }
    },
    SHOWN,
  )

const readNewSession = async (
  io: Io,
  client: HostedClient,
  flags: SessionFlags,
): Promise<NewSession> => {
  const { agent, environment, title, budget, vault } = flags
  const { body: message } = await readBodyOption(io, flags.message)
  const body = await readDefinition(io, flags.file, {
    agent: agent === undefined ? undefined : await findAgent(client, agent),
    environment_id:
      environment === undefined ? undefined : await findEnvironment(client, environment),
    title,
    vault_ids: vault,
    budget: budget === undefined ? undefined : budgetOf(budget),
    initial_events: message === undefined ? undefined : [messageOf(message)],
  })
  requireFields(body, { agent: '--agent', environment_id: '--environment' })
  if (isNewSession(body)) return body
  const reason = 'it must be an id'
  throw new StewardError('invalid_input', { subject: 'environment_id', reason })
}

export const updateSession = (io: Io, id: string, flags: SessionFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client }) => {
      const { title, budget } = flags
      const body = await readDefinition(io, flags.file, {
        title,
        budget: budget === undefined ? undefined : budget === 'none' ? null : budgetOf(budget),
      })
      const change = isSessionChange(body) ? body : {}
      const session = await client.beta.sessions.update(id, change)
      if (flags.json) printJson(io.out, session)
      else io.out.write(renderSession(session, io.out.paint))
    },
    SHOWN,
  )

export const endSession = (
  io: Io,
  how: 'archive' | 'delete',
  id: string,
  flags: TargetFlags,
): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const { sessions } = client.beta
    const answer = how === 'archive' ? await sessions.archive(id) : await sessions.delete(id)
    if (flags.json) printJson(io.out, answer)
    else io.out.write(`${id} is ${how}d\n`)
  })

const isNewSession = (body: object): body is NewSession =>
  isJsonObject(body) && body.agent !== undefined && typeof body.environment_id === 'string'

const isSessionChange = (body: object): body is SessionChange => isJsonObject(body)
