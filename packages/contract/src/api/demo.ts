import { z } from 'zod'
import { defineRoute } from './route.ts'

export const demoState = z.object({
  loaded: z.boolean(),
  /** This daemon serves the demo day itself. */
  isDemo: z.boolean(),
})
export type DemoState = z.infer<typeof demoState>

const WHY = 'It starts a program and writes files.'

/** A day of sample data, apart from the data of the person. */
export const demoRoutes = {
  getDemo: defineRoute({
    method: 'GET',
    path: '/api/demo',
    summary: 'Whether the demo day is loaded.',
    access: 'local',
    why: 'It says nothing about the person.',
    answer: demoState,
  }),
  openDemo: defineRoute({
    method: 'POST',
    path: '/api/demo/open',
    summary: 'Loads the demo day, if it is not loaded, and returns an address that opens it.',
    access: 'token',
    why: WHY,
    body: z.strictObject({}),
    answer: z.object({
      /** Signs a browser in once, within a minute. */
      url: z.string(),
    }),
    errors: ['module_failed'],
    perMinute: 30,
  }),
  removeDemo: defineRoute({
    method: 'POST',
    path: '/api/demo/remove',
    summary: 'Removes the demo day.',
    access: 'token',
    why: WHY,
    body: z.strictObject({}),
    answer: demoState,
    perMinute: 30,
  }),
}
