import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { fields } from '../json.ts'
import { defineRoute } from './route.ts'

const FILES = 'It changes files, including those of assistants.'
const host = z.object({ host: z.enum(HOSTS) })
const done = z.object({
  /** What was changed, in one sentence. */
  done: z.string(),
})

/** The settings of the data home, for a form. */
export const settingsView = z.object({
  /** What `settings.json` says. */
  set: fields,
  /** With defaults. */
  inForce: fields,
  /** A JSON Schema with descriptions and defaults. */
  schema: fields,
})
export type SettingsView = z.infer<typeof settingsView>

export const setupRoutes = {
  getSettings: defineRoute({
    method: 'GET',
    path: '/api/settings',
    summary: 'The settings of the data home with their defaults and descriptions.',
    access: 'token',
    why: 'Settings may contain secrets, such as the address of a chat webhook.',
    answer: settingsView,
    errors: ['invalid_definition'],
  }),
  changeSetting: defineRoute({
    method: 'POST',
    path: '/api/settings',
    summary: 'Sets one setting, or resets it to its default; refused if it is not valid.',
    access: 'token',
    why: 'Settings decide what runs, what is sent and who may call.',
    body: z.strictObject({
      /** The keys from the section to the setting. */
      path: z.array(z.string().min(1).max(200)).min(2).max(6),
      /** Absent: reset. */
      value: z.unknown().optional(),
    }),
    answer: settingsView,
    errors: ['invalid_input', 'invalid_definition'],
    perMinute: 120,
  }),
  connectAssistant: defineRoute({
    method: 'POST',
    path: '/api/assistants/:host/connect',
    summary: 'Registers the hooks with an assistant; its settings are backed up.',
    access: 'token',
    why: FILES,
    params: host,
    body: z.strictObject({}),
    answer: done,
    errors: ['invalid_definition'],
    perMinute: 30,
  }),
  disconnectAssistant: defineRoute({
    method: 'POST',
    path: '/api/assistants/:host/disconnect',
    summary: 'Removes the hooks from an assistant and restores its settings.',
    access: 'token',
    why: FILES,
    params: host,
    body: z.strictObject({}),
    answer: done,
    errors: ['invalid_definition'],
    perMinute: 30,
  }),
}
