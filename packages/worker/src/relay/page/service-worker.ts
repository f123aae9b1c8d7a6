/** Shows pushed messages, also while the page is closed. It caches nothing. */

interface PushedMessage {
  title?: string
  body?: string
  tag?: string
  /** Take the message with this tag back. */
  withdraw?: boolean
}

/** The parts of the service worker's scope that we use; the types of pages do not have them. */
interface Scope {
  addEventListener: (type: string, listener: (event: ScopeEvent) => void) => void
  registration: ServiceWorkerRegistration
  clients: {
    matchAll: (options: object) => Promise<readonly { focus?: () => Promise<unknown> }[]>
    openWindow: (address: string) => Promise<unknown>
  }
}
interface ScopeEvent {
  data?: { json: () => PushedMessage } | null
  notification?: { close: () => void }
  waitUntil: (work: Promise<unknown>) => void
}

declare const self: Scope

const show = async ({ title, body, tag, withdraw }: PushedMessage): Promise<void> => {
  if (withdraw === true && tag !== undefined) {
    // Browsers insist that every push shows something, so it is shown and closed.
    await self.registration.showNotification('Answered', { tag, silent: true })
    const shown = await self.registration.getNotifications({ tag })
    for (const notification of shown) notification.close()
    return
  }
  await self.registration.showNotification(title ?? 'Steward', {
    ...(body === undefined ? {} : { body }),
    ...(tag === undefined ? {} : { tag }),
    icon: '/icon-192.png',
  })
}

const open = async (): Promise<void> => {
  const [client] = await self.clients.matchAll({ type: 'window' })
  if (client?.focus !== undefined) await client.focus()
  else await self.clients.openWindow('/')
}

self.addEventListener('push', (event) => event.waitUntil(show(event.data?.json() ?? {})))
self.addEventListener('notificationclick', (event) => {
  event.notification?.close()
  event.waitUntil(open())
})
