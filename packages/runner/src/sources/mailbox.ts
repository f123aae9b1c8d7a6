import { type JsonObject, LIMITS, parseDuration, reasonOf, StewardError } from '@steward/contract'
import {
  decodeEntities,
  defined,
  type FlowItem,
  requiredSecret,
  type SourceOf,
} from '@steward/engine'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import type { Address } from 'postal-mime'
import { z } from 'zod'
import type { ReadSource, SourcePorts } from './source.ts'

const mailboxState = z.object({
  /** UIDs are only valid together with it. */
  uidValidity: z.string().default(''),
  lastUid: z.int().default(0),
})

const CONNECT_MS = 20_000
const SILENCE_MS = 60_000
/** What one run reads at most; the next run continues. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * The messages of a mailbox that came since the last run, oldest first. The mailbox is opened for
 * reading only: no message is marked as read.
 */
export const readMailbox: ReadSource<'mailbox'> = async (source, ports) => {
  const client = await connect(source, ports)
  const close = () => client.close()
  ports.signal?.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    return await readNew(client, source, ports)
  } catch (thrown) {
    ports.signal?.throwIfAborted()
    throw explain(thrown, source)
  } finally {
    ports.signal?.removeEventListener('abort', close)
    await client.logout().catch(close)
  }
}

const connect = async (
  { host, port, security, user, password }: SourceOf<'mailbox'>,
  { secret }: SourcePorts,
): Promise<ImapFlow> => {
  const pass = requiredSecret(password, secret, 'the mailbox source')
  // Loaded here, because few flows read mail.
  const imap = await import('imapflow')
  const client = new imap.ImapFlow({
    host,
    port: port ?? (security === 'tls' ? 993 : 143),
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    auth: { user, pass },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: LIMITS.mailBytes + 1024,
  })
  // Errors reach the command that waits; without a listener they would end the process.
  client.on('error', () => undefined)
  return client
}

const readNew = async (
  client: ImapFlow,
  source: SourceOf<'mailbox'>,
  { memory, now, signal }: SourcePorts,
): Promise<FlowItem[]> => {
  const before = mailboxState.parse((await memory.recall(source)) ?? {})
  const { uidValidity: validity, uidNext } = await client.mailboxOpen(source.folder, {
    readOnly: true,
  })
  const uidValidity = String(validity)
  const isKnown = before.uidValidity === uidValidity
  const sinceMs = now() - (parseDuration(source.since) ?? 0)
  const found = await client.search(
    {
      ...(isKnown ? { uid: `${before.lastUid + 1}:*` } : { since: new Date(sinceMs) }),
      ...(source.unseen ? { seen: false } : {}),
    },
    { uid: true },
  )
  // `n:*` includes the last message even if it is older.
  const uids = (found || []).filter((uid) => !isKnown || uid > before.lastUid)
  uids.sort((one, other) => one - other)
  const items: FlowItem[] = []
  let lastUid = isKnown ? before.lastUid : 0
  let bytes = 0
  let isComplete = true
  for (const uid of uids) {
    signal?.throwIfAborted()
    if (items.length >= LIMITS.flowItemsPerRun || bytes >= MOST_BYTES) {
      isComplete = false
      break
    }
    const query = { internalDate: true, size: true, source: { maxLength: LIMITS.mailBytes } }
    const message = await client.fetchOne(String(uid), query, { uid: true })
    lastUid = uid
    if (!message || message.source === undefined) continue
    // The search by date knows whole days only.
    if (!isKnown && Number(new Date(message.internalDate ?? now())) < sinceMs) continue
    bytes += message.source.length
    items.push(await toItem(message, `${uidValidity}:${uid}`))
  }
  if (isComplete) lastUid = Math.max(lastUid, uidNext - 1)
  memory.keep(source, { uidValidity, lastUid })
  return items
}

const toItem = async (
  { source: raw = Buffer.alloc(0), size = 0, internalDate }: FetchMessageObject,
  ownId: string,
): Promise<FlowItem> => {
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(raw)
  const title = mail.subject?.trim() || '(no subject)'
  const from = mail.from === undefined ? undefined : formatAddress(mail.from)
  const attachments = mail.attachments.flatMap(({ filename }) => filename ?? [])
  const payload: JsonObject = {
    content: (mail.text ?? toText(mail.html ?? '')).trim(),
    title,
    ...defined({
      author: from,
      from,
      to: mail.to?.map(formatAddress).join(', '),
      published_at: isoTime(mail.date) ?? isoTime(internalDate),
      message_id: mail.messageId,
      attachments: attachments.length === 0 ? undefined : attachments,
      truncated: size > raw.length ? true : undefined,
    }),
  }
  return { id: mail.messageId || ownId, title, payload }
}

const formatAddress = ({ name, address }: Address): string =>
  address ? (name ? `${name} <${address}>` : address) : name

const isoTime = (value: string | Date | undefined): string | undefined => {
  const time = new Date(value ?? Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const HIDDEN: ReadonlySet<string> = new Set(['head', 'style', 'script'])
const BREAKS = /^(?:br|\/?(?:p|div|tr|li|ul|ol|table|blockquote|h[1-6]))$/

/** The words of a message without a text part. One pass, because mail may be hostile. */
const toText = (html: string): string => {
  let text = ''
  let hidden = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    const close = open === -1 ? -1 : html.indexOf('>', open)
    if (hidden === '') text += html.slice(at, close === -1 ? undefined : open)
    if (close === -1) break
    at = close + 1
    const tag = /^\/?[a-z][a-z0-9]*/i.exec(html.slice(open + 1, open + 16))?.[0].toLowerCase() ?? ''
    if (hidden !== '') hidden = tag === `/${hidden}` ? '' : hidden
    else if (HIDDEN.has(tag)) hidden = tag
    else if (BREAKS.test(tag)) text += '\n'
  }
  const lines = decodeEntities(text).split('\n')
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
}

const explain = (thrown: unknown, { host, user, folder }: SourceOf<'mailbox'>): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const { authenticationFailed, mailboxMissing, responseText, serverResponseCode } = Object(thrown)
  const words = typeof responseText === 'string' ? responseText : reasonOf(thrown)
  const setup = (reason: string) =>
    new StewardError('not_configured', { subject: 'the mailbox source', reason }, thrown)
  if (authenticationFailed === true) return setup(`${host} refused the login of ${user}: ${words}`)
  if (mailboxMissing === true || serverResponseCode === 'NONEXISTENT') {
    return setup(`${host} has no folder ${folder}`)
  }
  return new StewardError('upstream_failed', { service: host, reason: words }, thrown)
}
