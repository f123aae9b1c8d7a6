import { keepWhileHidden, onChange, sawDaemon } from '../live/connection.svelte.ts'
import { daemon } from '../live/daemon.ts'
import { toProblem } from '../live/problem.ts'
import { goTo } from '../router/router.svelte.ts'
import { type News, newsOf } from './news.ts'
import { createNewsWatch } from './news-watch.ts'

/**
 * `off`: not enabled. `refused`: the browser does not allow it. `insecure`: browsers only support
 * it on https and localhost. `unsupported`: this browser lacks it.
 */
export type NoticesState = 'on' | 'off' | 'refused' | 'insecure' | 'unsupported'

const STORED = 'steward.notices'
/** Only one of all tabs shows notifications; the others wait for the lock. */
const LOCK = 'steward.notices'
const MOST_DELIVERIES = 20

const readPermission = (): NotificationPermission | undefined =>
  'Notification' in window ? Notification.permission : undefined

let isWanted = $state(localStorage.getItem(STORED) === 'on')
let permission = $state(readPermission())
/** Some browsers have the API but throw when it is used. */
let isBroken = $state(false)

export const noticesState = (): NoticesState => {
  if (!isSecureContext) return 'insecure'
  if (permission === undefined || isBroken) return 'unsupported'
  if (permission === 'denied') return 'refused'
  return isWanted && permission === 'granted' ? 'on' : 'off'
}

/** Asks the browser for permission; must be called by a click. */
export const switchNotices = async (on: boolean): Promise<void> => {
  if (on) permission = await Notification.requestPermission()
  isWanted = on && permission === 'granted'
  if (isWanted) localStorage.setItem(STORED, 'on')
  else localStorage.removeItem(STORED)
}

export const showNews = ({ id, title, body, href }: News): void => {
  try {
    const notification = new Notification(title, { body, tag: id, icon: '/favicon.svg' })
    notification.addEventListener('click', () => {
      window.focus()
      goTo(href)
      notification.close()
    })
  } catch {
    // Mobile browsers require an installed app; the switch shows that from now on.
    isBroken = true
  }
}

const readNews = async (): Promise<News[]> => {
  const [{ waiting }, { deliveries }] = await Promise.all([
    daemon.call('listWaiting'),
    daemon.call('listDeliveries', { query: { limit: MOST_DELIVERIES } }),
  ])
  return newsOf(waiting, deliveries)
}

const isHidden = (): boolean => document.visibilityState === 'hidden'

/** Shows news while the page is hidden, until stopped. */
const tell = (): (() => void) => {
  const watch = createNewsWatch({
    read: readNews,
    show: showNews,
    onFault: (thrown) => sawDaemon(toProblem(thrown).kind !== 'unreachable'),
  })
  const onVisibility = (): void => {
    if (isHidden()) void watch.begin()
  }
  onVisibility()
  document.addEventListener('visibilitychange', onVisibility)
  const endings = [
    keepWhileHidden(),
    onChange(['events', 'attention', 'notifications'], () => {
      if (isHidden()) void watch.look()
    }),
    () => document.removeEventListener('visibilitychange', onVisibility),
  ]
  return () => {
    for (const end of endings) end()
  }
}

/** For `$effect`: while enabled, one of the open tabs shows notifications. */
export const keepTelling = (): (() => void) | undefined => {
  if (noticesState() !== 'on') return undefined
  const ending = new AbortController()
  const { signal } = ending
  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      const end = tell()
      signal.addEventListener('abort', () => {
        end()
        resolve()
      })
    })
  navigator.locks.request(LOCK, { signal }, hold).catch((thrown: unknown) => {
    if (!signal.aborted) throw thrown
  })
  return () => ending.abort()
}
