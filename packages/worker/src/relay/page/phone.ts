import {
  type AttentionAnswer,
  type AttentionEntry,
  type RelayReply,
  readPairingCode,
} from '@steward/contract'
import { updatePairing } from './device-memory.ts'
import { openRelayLink, pair, Refused, type RelayLink } from './relay-link.ts'
import { make, renameEntry, renderEntry } from './render-entry.ts'

const WATCH_EVERY_MS = 45_000
const WATCH_VALID_MS = 90_000
const ANSWER_VALID_MS = 120_000
/** An answer without a result is sent again, because the daemon may have been restarted. */
const RESEND_MS = 15_000
const TRIES = 4
const RETRY_MS = 3000
const SILENCE_MS = 10_000

const wait = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs))

const find = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}
const state = find('state')
const list = find('list')
const notify = find('notify')
const tell = (text: string, isProblem = false): void => {
  state.textContent = text
  state.className = isProblem ? 'problem' : ''
}

type Waiting = Extract<RelayReply, { type: 'waiting' }>
type Result = Extract<RelayReply, { type: 'result' }>

const shown = new Map<string, { element: HTMLElement; of: string }>()
const results = new Map<number, (result: Result) => void>()
let pushKey: string | null = null
let lastReplyMs = 0

const answer = async (
  link: RelayLink,
  { id }: AttentionEntry,
  given: AttentionAnswer,
): Promise<void> => {
  const element = shown.get(id)?.element
  const controls = [...(element?.querySelectorAll('button') ?? [])]
  const note = element?.querySelector('.note') ?? make('p', { className: 'note' })
  element?.append(note)
  const say = (text: string): void => {
    note.textContent = text
  }
  for (const control of controls) control.disabled = true
  say('Sending…')
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const counter = await link.send({ type: 'answer', id, answer: given }, ANSWER_VALID_MS)
      const result = await Promise.race([
        new Promise<Result>((resolve) => results.set(counter, resolve)),
        wait(RESEND_MS),
      ])
      results.delete(counter)
      if (result !== undefined) {
        say(result.message)
        if (!result.ok) for (const control of controls) control.disabled = false
        return
      }
    }
    say('Steward does not reply. Is your computer on?')
  } catch (thrown) {
    say(thrown instanceof Error ? thrown.message : String(thrown))
  }
  for (const control of controls) control.disabled = false
}

const show = (link: RelayLink, { waiting, answers, device, more, pushKey: key }: Waiting): void => {
  const ids = new Set(waiting.map(({ id }) => id))
  for (const [id, { element }] of shown) {
    if (ids.has(id)) continue
    element.remove()
    shown.delete(id)
  }
  for (const [at, entry] of waiting.entries()) {
    const of = JSON.stringify([{ ...entry, name: '' }, answers])
    const before = shown.get(entry.id)
    // A form that is being filled in is kept when its session gets a name.
    const element =
      before?.of === of
        ? before.element
        : renderEntry(entry, answers, (given) => void answer(link, entry, given))
    if (before?.element !== element) before?.element.remove()
    renameEntry(element, entry)
    shown.set(entry.id, { element, of })
    // Moving an element would close the keyboard and lose a tap.
    const there = list.children[at]
    if (there !== element) list.insertBefore(element, there ?? null)
  }
  const nothing = waiting.length === 0 ? 'Nothing waits for you. ' : ''
  const rest = more === 0 ? '' : ` ${more} more on your computer.`
  tell(`${nothing}Connected as ${device}.${rest}`)
  pushKey = key
  notify.hidden = key === null || !('PushManager' in window) || Notification.permission === 'denied'
  tellTimes()
}

const tellTimes = (): void => {
  for (const time of document.querySelectorAll('time')) {
    const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 60_000)
    const text = minutes < 1 ? 'just now' : `${minutes} min ago`
    time.textContent = minutes < 120 ? text : `${Math.floor(minutes / 60)} h ago`
  }
}

const watch = async (link: RelayLink): Promise<void> => {
  await link.send({ type: 'watch' }, WATCH_VALID_MS)
  const askedMs = Date.now()
  await wait(SILENCE_MS)
  if (lastReplyMs < askedMs) tell('Steward does not reply. Is your computer on?', true)
}

const subscribe = async (link: RelayLink): Promise<void> => {
  const registration = await navigator.serviceWorker.register('/sw.js')
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: pushKey,
  })
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  if (endpoint === undefined) throw new Error('the browser has no address for pushes')
  await link.send(
    { type: 'subscribe', subscription: { endpoint, keys: { p256dh, auth } } },
    ANSWER_VALID_MS,
  )
  notify.textContent = 'Notifications are on'
}

const follow = async (link: RelayLink): Promise<never> => {
  let leaving = new AbortController()
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) leaving.abort()
    else watch(link).catch(explain)
  })
  for (;;) {
    if (document.hidden) {
      await wait(RETRY_MS / 10)
      continue
    }
    leaving = new AbortController()
    try {
      for (const reply of await link.receive(leaving.signal)) {
        lastReplyMs = Date.now()
        if (reply.type === 'waiting') show(link, reply)
        else results.get(reply.counter)?.(reply)
      }
    } catch (thrown) {
      if (leaving.signal.aborted) continue
      explain(thrown)
      await wait(RETRY_MS)
    }
  }
}

const explain = (thrown: unknown): void => {
  if (thrown instanceof Refused) {
    for (const { element } of shown.values()) element.remove()
    shown.clear()
    tell('This device was revoked, or its code has expired. Pair it again.', true)
  } else
    tell(`The relay cannot be reached: ${thrown instanceof Error ? thrown.message : thrown}`, true)
}

const start = async (): Promise<void> => {
  const code = readPairingCode(location.hash)
  // The key must not stay in the history of the browser.
  if (code !== undefined) history.replaceState(null, '', '/')
  const pairing = code === undefined ? await updatePairing((found) => found) : await pair(code)
  if (pairing === undefined) {
    tell('This device is not paired. Run “steward answer devices pair NAME” and scan the code.')
    return
  }
  tell('Connecting…')
  const link = openRelayLink(pairing)
  notify.onclick = () => void subscribe(link).catch(explain)
  watch(link).catch(explain)
  setInterval(() => {
    tellTimes()
    if (!document.hidden) watch(link).catch(explain)
  }, WATCH_EVERY_MS)
  await follow(link)
}

void start()
