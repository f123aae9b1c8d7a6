/**
 * The service worker of the dashboard and of the phone's page at the relay. It shows pushed messages,
 * also while the page is closed, and keeps the page itself for times without a connection. Answers
 * with data are never cached: only documents, scripts, styles and icons are.
 */

const SHELL = 'shell-1'
const MOST_FILES = 200
const STATIC = /\.(?:js|css|svg|png|webmanifest)$/

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

/** Every page of the app is the same document. */
const keyOf = (request) => (request.mode === 'navigate' ? '/' : request.url)

const store = async (request, response) => {
  const shell = await caches.open(SHELL)
  await shell.put(keyOf(request), response)
  const files = await shell.keys()
  for (const file of files.slice(0, Math.max(0, files.length - MOST_FILES))) {
    await shell.delete(file)
  }
}

const answer = async (event) => {
  const { request } = event
  try {
    const response = await fetch(request)
    if (response.ok && !response.redirected) event.waitUntil(store(request, response.clone()))
    return response
  } catch (thrown) {
    const kept = await caches.match(keyOf(request))
    if (kept !== undefined) return kept
    throw thrown
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  const isPage = request.mode === 'navigate' && !pathname.startsWith('/api/')
  if (isPage || STATIC.test(pathname)) event.respondWith(answer(event))
})

const show = async ({ title = 'Steward', body, tag, withdraw }) => {
  const { registration } = self
  if (!withdraw) {
    await registration.showNotification(title, { body, tag, icon: '/icon-192.png' })
    return
  }
  // Browsers insist that every push shows something, so it is shown and closed.
  await registration.showNotification('Answered', { tag, silent: true })
  for (const shown of await registration.getNotifications({ tag })) shown.close()
}

const open = async () => {
  const [client] = await self.clients.matchAll({ type: 'window' })
  if (client === undefined) await self.clients.openWindow('/')
  else await client.focus()
}

self.addEventListener('push', (event) => event.waitUntil(show(event.data?.json() ?? {})))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open())
})
