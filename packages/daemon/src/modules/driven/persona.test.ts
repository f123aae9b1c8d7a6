import { resolveHome } from '@steward/platform'
import { createTemporaryHome } from '@steward/platform/testing'
import { expect, it, onTestFinished } from 'vitest'
import { withPersona } from './persona.ts'

it('puts the named agent first, then the task with its traits', async () => {
  const temporary = createTemporaryHome()
  onTestFinished(temporary.remove)
  temporary.write(
    'USER/AGENTS/ada.md',
    '---\nname: Ada\ndescription: Repairs code\n---\nYou are a careful engineer.\n',
  )
  const home = resolveHome({ STEWARD_HOME: temporary.path })
  const given = { prompt: 'Look around.', agent: 'ADA', traits: ['technical', 'bold'] }
  const text = await withPersona(given, home)
  expect(text).toMatch(/^You are a careful engineer\.\n\n# Your task\n/)
  expect(text).toMatch(/technical/i)
  expect(text).toContain('Look around.')
  await expect(withPersona({ ...given, agent: 'Bob' }, home)).rejects.toMatchObject({
    code: 'not_found',
  })
})
