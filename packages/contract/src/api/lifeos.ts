import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'

const wikiSkill = z.object({
  name: z.string(),
  /** The name of its folder. */
  dir: z.string(),
  description: z.string(),
  /** `effort` of its frontmatter; `standard` without one. */
  effort: z.string(),
  hasWorkflows: z.boolean(),
  lastModified: z.string(),
})

const shownSkill = wikiSkill.extend({
  content: z.string(),
  filePath: z.string(),
  wordCount: z.int(),
})

/** `amber`, `conduitMinutes` and `memory` are parts of LifeOS that Steward does not have. */
export const menubar = z.object({
  generatedAt: z.string(),
  daemon: z.object({
    status: z.literal('running'),
    label: z.string(),
    uptimeSec: z.int(),
    failingJobs: z.int(),
    jobCount: z.int(),
  }),
  counts: z.object({
    amber: z.literal(0),
    conduitMinutes: z.literal(0),
    memory: z.literal(0),
    memoryPending: z.literal(0),
    work: z.int(),
  }),
  /** Newest first. */
  feed: z.array(
    z.object({
      subsystem: z.literal('work'),
      glyph: z.string(),
      title: z.string(),
      tsMs: z.number(),
      ago: z.string(),
      actionable: z.boolean(),
    }),
  ),
})
export type Menubar = z.infer<typeof menubar>

/** The parts of the daemon as capabilities; a part that is switched off was declined. */
export const capabilities = z
  .object({
    present: z.literal(true),
    updatedAt: z.string(),
    capabilities: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        state: z.enum(['live', 'broken', 'declined']),
        detail: z.string(),
        fixCmd: z.string().nullable(),
        checkedAt: z.string(),
        ttlHours: z.number(),
        probeClass: z.literal('offline'),
        stale: z.literal(false),
      }),
    ),
  })
  .meta({ id: 'Capabilities' })
export type Capabilities = z.infer<typeof capabilities>

/** Routes that only clients of LifeOS ask for, in the shapes that they read. */
export const lifeosRoutes = {
  listWikiSkills: defineRoute({
    method: 'GET',
    path: '/api/wiki/skills',
    summary: 'Installed skills, for dashboards of LifeOS.',
    access: 'local',
    why: READ,
    answer: z.object({ skills: z.array(wikiSkill), total: z.int() }),
  }),
  getWikiSkill: defineRoute({
    method: 'GET',
    path: '/api/wiki/skills/:name',
    summary: 'One skill with its text, for dashboards of LifeOS.',
    access: 'local',
    why: READ,
    params: z.object({ name: z.string().min(1).max(200) }),
    answer: shownSkill,
    errors: ['not_found', 'rejected_content'],
  }),
  saveWikiSkill: defineRoute({
    method: 'PUT',
    path: '/api/wiki/skills/:name',
    summary:
      'Replaces the text of a skill, for dashboards of LifeOS. The replaced text is kept beside it as `SKILL.md.previous`; a skill that ships with Steward is refused.',
    access: 'token',
    why: 'Assistants follow the instructions of a skill.',
    params: z.object({ name: z.string().min(1).max(200) }),
    body: z.object({ content: z.string().min(1) }),
    answer: shownSkill.extend({ ok: z.literal(true), updated: z.string() }),
    errors: ['invalid_input', 'not_found', 'payload_too_large'],
    maxBodyBytes: LIMITS.noteBodyBytes,
  }),
  listWikiHooks: defineRoute({
    method: 'GET',
    path: '/api/wiki/hooks',
    summary: "Steward's hooks of Claude Code, for dashboards of LifeOS.",
    access: 'local',
    why: READ,
    answer: z.object({
      hooks: z.array(
        z.object({
          event: z.string(),
          matcher: z.string(),
          type: z.enum(['command', 'http']),
          command: z.string(),
          fileName: z.string(),
        }),
      ),
      total: z.int(),
      events: z.array(z.string()),
    }),
  }),
  getWikiHook: defineRoute({
    method: 'GET',
    path: '/api/wiki/hooks/:name',
    summary: 'Description of a hook, for dashboards of LifeOS.',
    access: 'local',
    why: READ,
    params: z.object({ name: z.string().min(1).max(200) }),
    answer: z.object({
      name: z.string(),
      content: z.string(),
      filePath: z.string(),
      lastModified: z.string(),
      size: z.int(),
    }),
    errors: ['not_found'],
  }),
  getMenubar: defineRoute({
    method: 'GET',
    path: '/api/menubar',
    summary: 'Active work in a few lines, for the menu bar of LifeOS.',
    access: 'local',
    why: READ,
    answer: menubar,
  }),
  getCapabilities: defineRoute({
    method: 'GET',
    path: '/api/capabilities',
    summary: 'Features that work now, for dashboards of LifeOS.',
    access: 'local',
    why: 'It repeats `/health` in another form.',
    answer: capabilities,
  }),
}
