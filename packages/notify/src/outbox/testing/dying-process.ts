import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settings } from '@steward/contract'
import { createRedactor, resolveHome } from '@steward/platform'
import { createNotifier } from '../../service/create-notifier.ts'
import { notifierMachine } from '../../service/notifier-machine.ts'
import { createVirtualClock } from './virtual-clock.ts'

/**
 * Child program: `HOME SERVER POINT NAME…` sends each name as a notice with the name as key, and
 * delivers until all are finished. At its point it kills itself like `kill -9`. Its time only
 * passes while no request is open, and the next process continues from there.
 */
const [folder = '', server = '', point = '', ...names] = process.argv.slice(2)

const dieAt = (here: string): void => {
  if (point === here) process.kill(process.pid, 'SIGKILL')
}

const clockFile = join(folder, 'clock')
const clock = createVirtualClock(
  existsSync(clockFile) ? Number(readFileSync(clockFile, 'utf8')) : undefined,
)

/** The server gets the head and a part of the body, but never the rest. */
const sendHalf = (address: string): Promise<never> => {
  const { hostname, port, pathname } = new URL(address)
  const socket = connect(Number(port), hostname)
  const head = `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`
  socket.write(head, () => dieAt('half'))
  return new Promise(() => undefined)
}

let underWay = 0
const post = async (address: string, init: RequestInit): Promise<Response> => {
  dieAt('claimed')
  if (point === 'half') return sendHalf(address)
  const response = await fetch(address, init)
  dieAt('answered')
  return response
}
const question = async (address: string, init: RequestInit): Promise<Response> => {
  dieAt('asking')
  const response = await fetch(address, init)
  const text = await response.text()
  dieAt('told')
  return new Response(text, response)
}

const parsed = settings.parse({
  notifications: { push: { enabled: true, topic: 'steward-0123456789', server } },
})
const environment = {}
const notifier = createNotifier({
  ...notifierMachine(),
  home: resolveHome({ STEWARD_HOME: folder }),
  settings: () => parsed,
  environment: () => environment,
  redactor: () => createRedactor({}),
  now: clock.now,
  setTimer: clock.setTimer,
  fetch: async (address, init) => {
    underWay++
    try {
      return await (init.method === 'POST' ? post : question)(address, init)
    } finally {
      underWay--
    }
  },
  log: { warn: () => undefined },
})

const handedOver = new Set<string>()
for (const name of names) {
  const { deliveries } = await notifier.notifyError(name, { key: name })
  for (const { id } of deliveries) handedOver.add(id)
}
dieAt('stored')
notifier.start()
const hasEnded = (id: string): boolean => notifier.find(id)?.state !== 'waiting'
for (;;) {
  await sleep(1)
  if (underWay > 0) continue
  if ([...handedOver].some(hasEnded)) dieAt('recorded')
  if ([...handedOver].every(hasEnded)) break
  await clock.advance(1000)
  writeFileSync(clockFile, String(clock.now()))
}
await notifier.stop()
