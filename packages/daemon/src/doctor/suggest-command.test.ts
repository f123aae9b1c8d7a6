import type { Finding } from '@steward/assistants'
import { expect, it } from 'vitest'
import { suggestCommand } from './suggest-command.ts'

const finding: Finding = { check: 'sandbox', status: 'warn', message: 'missing' }
const commandOf = (more: Partial<Finding>) =>
  suggestCommand({ ...finding, ...more }, 'npx steward').command

it('is the advice, where that is one command and no more', () => {
  expect(commandOf({ repair: 'npx steward runs resume' })).toBe('npx steward runs resume')
  expect(commandOf({ repair: 'chmod 600 /home/ada/.steward/.env' })).toContain('chmod')
  expect(commandOf({ repair: 'steward service start; steward service logs shows why' })).toBe(
    undefined,
  )
  expect(commandOf({ repair: 'correct settings.json' })).toBe(undefined)
  expect(commandOf({ status: 'ok', repair: 'steward doctor' })).toBe(undefined)
})

it('is the doctor, where a repair may wait for a person', () => {
  const fix = async () => 'installed'
  expect(commandOf({ repair: 'install bubblewrap', fix })).toMatch(/steward doctor --fix$/)
  expect(
    commandOf({ repair: 'steward hooks install --host codex, or accept them', fix, change: 'x' }),
  ).toBe(undefined)
})
