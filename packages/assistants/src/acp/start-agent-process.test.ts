import { tmpdir } from 'node:os'
import { startSystemTimer } from '@steward/platform'
import { expect, it } from 'vitest'
import { startAgentProcess } from './start-agent-process.ts'

const start = (script: string) =>
  startAgentProcess({
    program: { command: '/bin/sh', args: ['-c', script] },
    folder: tmpdir(),
    env: { PATH: process.env.PATH },
  })

it('notices the end of a program whose children keep its streams open', async () => {
  const agent = start('sleep 600 & exit 3')
  await expect.poll(() => agent.ended.aborted).toBe(true)
  expect(agent.reason()).toBe('its process ended with 3')
})

it('kills a program and its children', async () => {
  const agent = start('trap "" TERM; sleep 600')
  await agent.kill(startSystemTimer)
  expect(agent.ended.aborted).toBe(true)
  expect(agent.reason()).toBe('its process ended with SIGKILL')
})
