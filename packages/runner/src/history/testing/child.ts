import { createRedactor } from '@steward/platform'
import { openHistory } from '../open-history.ts'
import { sampleAdvance, sampleRun } from './samples.ts'

/**
 * Child program: opens the history in the given folder and executes messages, replying to each when
 * the history has acknowledged it. It ends only by being killed.
 */
const history = openHistory({ directory: process.argv[2] ?? '', redactor: createRedactor({}) })

const COMMANDS: Record<string, (argument: string) => Promise<unknown>> = {
  begin: async (id) => history.begin(sampleRun({ id })),
  beginTwoSteps: async (id) => {
    await history.begin(sampleRun({ id }))
    await history.advance(sampleAdvance(id, 0, { content: 'one done' }, 'next'))
  },
  claim: (id) => history.claim(id),
  runMany: async (prefix) => {
    for (let number = 0; number < 25; number++) {
      const id = `${prefix}-${number}`
      await history.begin(sampleRun({ id }))
      await history.advance(sampleAdvance(id, 0, { number }, 'end'))
    }
  },
  beginWithKey: async (id) => {
    const begun = await history.begin(sampleRun({ id, idempotencyKey: 'only-once' }))
    return begun.created
  },
}

process.on('message', async (message) => {
  const [command = '', argument = ''] = String(message).split(' ')
  const answer = await COMMANDS[command]?.(argument)
  process.send?.({ answer: answer ?? null })
})
process.send?.('ready')
