import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig, type TestUserConfig } from 'vitest/config'
import { useBuiltModules } from './scripts/testing/built-modules.ts'
import { COMPILED } from './scripts/testing/cache-home.ts'

/**
 * One suite, two runtimes: every test of contract, engine, models and library that needs no more than a
 * runtime runs as `unit` on Node and as `workerd` inside an isolate. Left out of the second are tests
 * that start something an isolate cannot:
 * - a server on loopback, as models' vendor stand-in and the pages, mail servers and transcription
 *   services of library actions (`library/isolate.test.ts` and `packages/worker` run the same
 *   code in workerd, with the servers outside);
 * - a thread, as the test that ends parsers which hang;
 * - a feed that takes more memory than an isolate has, and feeds that show how long hostile ones take;
 * - a shell or files, as actions of the sandbox tier and the tests at the library's root do.
 */
const NEEDS_A_MACHINE = [
  'packages/models/src/{vendor-client,call/classify-failure,budget/budgeted-llm}.test.ts',
  'packages/models/src/{providers/choose-provider,testing/vendor-stand-in}.test.ts',
  'library/actions/{A_EXTRACT_ARTICLE,A_SEND_EMAIL}/action.test.ts',
  'library/actions/{A_EXTRACT_TRANSCRIPT,A_TRANSCRIBE_AUDIO}/action.test.ts',
  'library/actions/A_EXTRACT_ARTICLE/hostile-html.test.ts',
  'packages/engine/src/feed-format/{large-feed,limits}.test.ts',
]

/** Tests of restarts, and with limits for how long something takes, which a busy machine exceeds. */
const TIMED =
  'test/e2e/{attention,daemon-stop,hooks,hooks-daemon,hostile-actions,hostile-pages,service,voice,watchdog}.test.ts'

process.env.NODE_COMPILE_CACHE ??= COMPILED
/** The bundler, which many tests start, is a fifth faster if it collects garbage less often. */
process.env.GOGC ??= '400'

/** A machine that has much else to do makes a test slow, not wrong. */
const PATIENT = { poll: { timeout: 20_000 } }

/** These run at the end, with a processor for each file. */
const CALM = { maxWorkers: 2, sequence: { groupOrder: 1 } } satisfies TestUserConfig

const END_TO_END = {
  environment: 'node',
  globalSetup: ['scripts/testing/build-program.ts', 'test/e2e/stage-program.ts'],
  maxConcurrency: 3,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: PATIENT,
  isolate: false,
} satisfies TestUserConfig

export default defineConfig({
  test: {
    // A test file uses less than half a processor: it waits for processes, disks and clocks. Two
    // files at a time left two processors idle for half of the suite.
    maxWorkers: 4,
    projects: [
      {
        plugins: [useBuiltModules()],
        test: {
          name: 'unit',
          environment: 'node',
          include: ['packages/*/src/**/*.test.ts', 'library/**/*.test.ts', 'scripts/**/*.test.ts'],
          globalSetup: 'scripts/testing/build-program.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          // Modules are loaded once a worker and not once a file: that is most of what a file costs.
          isolate: false,
        },
      },
      {
        test: {
          // The suites of hosted agents a second time, on the other engine. Those that run on both by
          // themselves are left out.
          name: 'postgres',
          environment: 'node',
          include: [
            'packages/hosted/src/{agents,deployments,environments,files,memory,sessions,skills,vaults,webhooks,work}/**/*.test.ts',
            'packages/hosted/src/serve/{plumbing,serve-hosted-api,thin-path}.test.ts',
            'packages/hosted/src/brain/{crash,limits,pool,turn,waiting}.test.ts',
            'packages/hosted/src/brain/threads/*.test.ts',
            'packages/hosted/src/brain/mcp/{connecting,mcp}.test.ts',
            'packages/hosted/src/brain/models/anthropic-model.test.ts',
          ],
          globalSetup: 'packages/hosted/src/database/testing/provide-postgres.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          isolate: false,
        },
      },
      {
        plugins: [
          cloudflareTest({
            // The plugin brings a workerd of its own; the date is the one that workers are built with.
            miniflare: {
              compatibilityDate: '2026-07-30',
              compatibilityFlags: ['nodejs_compat'],
            },
          }),
        ],
        test: {
          name: 'workerd',
          include: [
            'packages/{contract,engine,models}/src/**/*.test.ts',
            'packages/worker/src/capabilities/*.test.ts',
            'library/{actions,lib}/**/*.test.ts',
          ],
          exclude: NEEDS_A_MACHINE,
          // One isolate for all files: a new one each would load every module again, at ten times the cost.
          isolate: false,
          ...CALM,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...END_TO_END,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [TIMED],
        },
      },
      {
        test: {
          ...END_TO_END,
          ...CALM,
          name: 'e2e-timed',
          include: [TIMED],
        },
      },
    ],
  },
})
