/** Continues what a killed process left and runs the flow once, as `steward trigger` does. */
import { openLocalRuntime } from '../../open-local-runtime.ts'

const [home = '', vendor = ''] = process.argv.slice(2)
const steward = await openLocalRuntime({
  env: {
    STEWARD_HOME: home,
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: vendor,
    LLM_API_KEY: 'k3y-of-the-test',
  },
  homedir: home,
  builtIn: `${home}/library`,
})
for (const { id } of steward.history.list({ status: 'interrupted', primitive: 'flow' })) {
  await steward.flows.resume(id)
}
const { summary } = await steward.flows.trigger('F_NEWS_POST')
const items = await steward.flows.items('F_NEWS_POST', { limit: 10_000 })
await steward.close()
console.log(JSON.stringify({ summary, items }))
