import { z } from 'zod'

const text = z.string()
const hook = z.object({
  type: text,
  matcher: text,
  command: text,
  status: z.enum(['active', 'missing']),
})

/** What the pages of LifeOS read of each answer; a missing field would break the page. */
export const PAGES: ReadonlyArray<readonly [path: string, shape: z.ZodType]> = [
  ['/health', z.object({ status: text })],
  ['/healthz', z.object({ status: text })],
  [
    '/api/events/recent',
    z.object({ events: z.array(z.object({ timestamp: text, source: text })) }),
  ],
  ['/api/observability/state', z.object({ sessions: z.record(text, z.object({ phase: text })) })],
  [
    '/api/observability/voice-events',
    z.object({ events: z.array(z.unknown()), summary: z.object({ total: z.number() }) }),
  ],
  [
    '/api/observability/tool-failures',
    z.object({
      events: z.array(z.unknown()),
      summary: z.object({ byTool: z.record(text, z.number()) }),
    }),
  ],
  ['/api/agents', z.object({ events: z.array(z.unknown()) })],
  ['/api/novelty', z.object({ runs: z.array(z.unknown()), ratings: z.array(z.unknown()) })],
  ['/api/ladder', z.object({ available: z.boolean(), ideas: z.array(z.unknown()) })],
  [
    '/api/security',
    z.object({
      philosophy: text,
      blocked: z.array(z.object({ pattern: text, reason: text })),
      pathTiers: z.array(z.object({ tier: text, paths: z.array(text), effect: text })),
      events: z.array(z.unknown()),
      eventCounts: z.object({ blocks: z.number(), total: z.number() }),
      hooks: z.array(hook).min(1),
      denyList: z.array(text),
    }),
  ],
  [
    '/api/security/hooks-detail',
    z
      .record(
        text,
        z.object({ description: text, behavior: text, event: text, canBlock: z.boolean() }),
      )
      .refine((details) => details['steward-hook.mjs']?.canBlock === true),
  ],
  [
    '/api/knowledge',
    z.object({
      domains: z.array(z.object({ name: text, count: z.number() })),
      notes: z.array(z.unknown()),
      totalNotes: z.number(),
      topTags: z.array(z.unknown()),
    }),
  ],
  [
    '/api/wiki',
    z.object({
      tree: z.array(z.object({ label: text, children: z.array(z.object({ label: text })) })),
      recentChanges: z.array(
        z.object({ slug: text, title: text, lastModified: text, wordCount: z.number() }),
      ),
      stats: z.object({ totalPages: z.number() }),
    }),
  ],
  [
    '/api/wiki/search?q=watchdog',
    z.object({ results: z.array(z.object({ slug: text, title: text, excerpt: text })).min(1) }),
  ],
  [
    '/api/wiki/graph',
    z.object({ nodes: z.array(z.object({ id: text, title: text })), edges: z.array(z.unknown()) }),
  ],
  [
    '/api/wiki/doc/docs:hooks',
    z.object({ title: text, content: text, lastModified: text, wordCount: z.number() }),
  ],
  [
    '/api/wiki/backlinks/docs:hooks',
    z.object({ backlinks: z.array(z.object({ slug: text })).min(1) }),
  ],
  [
    '/api/wiki/skills',
    z.object({
      skills: z
        .array(
          z.object({
            name: text,
            dir: text,
            description: text,
            effort: text,
            hasWorkflows: z.boolean(),
            lastModified: text,
          }),
        )
        .min(4),
      total: z.number(),
    }),
  ],
  [
    '/api/wiki/skills/Research',
    z.object({ name: z.literal('Research'), content: text.min(100), wordCount: z.number() }),
  ],
  [
    '/api/wiki/hooks',
    z.object({
      hooks: z.array(z.object({ event: text, matcher: text, type: text, fileName: text })).min(1),
      total: z.number(),
      events: z.array(text).min(1),
    }),
  ],
  ['/api/wiki/hooks/skill-guard', z.object({ name: text, content: text, size: z.number() })],
  [
    '/api/capabilities',
    z.object({ capabilities: z.array(z.object({ id: text, title: text, state: text })).min(5) }),
  ],
  [
    '/api/menubar',
    z.object({
      generatedAt: text,
      daemon: z.object({
        status: text,
        label: text,
        uptimeSec: z.number(),
        failingJobs: z.number(),
      }),
      counts: z.object({
        amber: z.number(),
        conduitMinutes: z.number(),
        memory: z.number(),
        work: z.number(),
      }),
      feed: z.array(z.object({ subsystem: text, title: text, tsMs: z.number(), ago: text })),
    }),
  ],
  ['/assistant/health', z.object({ status: text })],
  ['/assistant/identity', z.object({ name: text, display_name: text })],
  [
    '/assistant/personality',
    z.object({
      preferences: z.object({ what_i_love: z.array(text) }),
      autonomy: z.object({ can_initiate: z.array(text), must_ask: z.array(text) }),
    }),
  ],
  ['/assistant/tasks', z.object({ tasks: z.array(z.unknown()), count: z.number() })],
  ['/assistant/diary', z.object({ entries: z.array(z.unknown()) })],
  ['/assistant/opinions', z.object({ raw: text, opinions: z.array(z.unknown()) })],
  ['/api/loops', z.object({ status: z.literal('not_available') })],
]
