/** Requests that name the agents to use: custom ones, teams, auditors, observers, or none. */
export const NAMED_AGENTS = `
  # The word custom: always composed agents, never a built-in type.
  - id: custom-agents
    level: 5
    when:
      - '{custom} {helper}'
      - '{custom} .. {agent}'
      - '{custom} ones .. agent'
      - '{agent} .. {custom} to'
      - '{agent} .. made to measure'
      - compose .. {helper}
      - '{helper} .. trait'
      - '{helper} with .. personality'
      - '{helper} with .. temperament'
      - '{helper} with .. character'
      - '{helper} with .. voice of their own'
      - '^create custom agent'
    answer: { system: custom, type: general-purpose, tier: standard, skill: Agents, workflow: CreateCustomAgent }
    why: custom agents were asked for; they are composed from traits, and a built-in type is never used for them

  # At E4 and E5 an auditor of another vendor checks the work before it counts as verified.
  - id: mandatory-audit
    level: 10
    efforts: [E4, E5]
    phases: [VERIFY]
    answer: { system: built-in, type: Cato }
    why: at effort E4 and E5 the VERIFY phase has a mandatory cross-vendor audit
  - id: mandatory-audit-in-words
    level: 10
    when: ['^{verify}', '{verify} .. finished', '{verify} phase', '{verify} .. criteria']
    efforts: [E4, E5]
    answer: { system: built-in, type: Cato }
    why: verifying at effort E4 or E5 has a mandatory cross-vendor audit

  - id: no-agents
    level: 20
    when:
      - '{not} {agent}'
      - '{not} use {agent}'
      - '{not} launch {agent}'
      - '{not} spawn {agent}'
      - '{not} start {agent}'
      - '{not} involve {agent}'
      - '{not} want {agent}'
      - '{not} need {agent}'
      - '{not} delegate'
      - '{not} hand it off'
      - '{not} outsource'
      - do it yourself
      - do this yourself
    unless: ['{not} .. alone']
    answer: { system: direct, tier: standard }
    why: no agent is wanted; the assistant does it itself

  - id: host-guide
    level: 35
    when:
      - '{host} ... {hostThing}'
      - '{hostThing} ... {host}'
      - '{hostOnly}'
      - '{change} .. mcp server to {host}'
      - 'how ... {host}'
      - 'what .. new in {host}'
      - 'does {host} support'
      - 'can {host}'
      - 'where does {host}'
      - 'model {host} use'
      - configure .. mcp
      - install .. mcp
      - connect .. mcp
      - register .. mcp
      - set up .. mcp
      - mcp configuration
      - cursor hook
      - cursor setting
      - cursor rule
    answer: { system: built-in, type: HostGuide }
    why: it is about the host assistant itself (hooks, settings, commands, MCP, agents, API)
    notes: [verify the host's latest features before implementing anything]

  - id: observers
    level: 40
    when:
      - '{observer} .. watch'
      - 'have {observer}'
      - watch what the .. agent do
      - audit what the .. agent do
      - oversee the .. agent
      - '{launch} .. {observer}'
      - '{observer} team'
      - '{observer} .. vote'
      - team of {observer}
      - read only oversight
      - oversight team
      - '{observer} on the'
      - '{observer} .. audit what'
    answer: { system: built-in, type: general-purpose, tier: fast, skill: Agents, workflow: SPAWNOBSERVERS }
    why: three read-only observers vote on what a primary agent does; the Agents skill spawns them
    notes: [observers fit unattended work where auditability matters more than time, not interactive or short work]

  - id: spotcheck
    level: 40
    when:
      - '{outputs} agree'
      - '{outputs} .. match each other'
      - '{outputs} line up'
      - '{outputs} .. for consistency'
      - check .. for consistency
      - compare .. agent {outputs}
      - consistent across
      - consistency across
      - agree with one another
      - reconcile .. {outputs}
      - sanity check .. agent {outputs}
      - spotcheck
      - spot check
      - consistent .. {outputs}
      - '{outputs} .. consistent'
      - consistency .. {outputs}
      - consistency .. agent
      - '{outputs} .. agree with each other'
      - '{outputs} .. contradict each other'
      - cross check .. agent {outputs}
      - cross check the {outputs}
      - '{agent} .. contradict each other'
      - '{agent} .. different conclusion'
      - compare what the .. {agent} came back with
      - '{agent} ... contradiction'
      - '{agent} .. same conclusion'
    answer: { system: built-in, type: general-purpose, tier: fast, skill: Agents, workflow: Spotcheck }
    why: after parallel work one extra general-purpose agent on the fast tier checks that all outputs agree

  # Teams by name. A team or a swarm is not the custom-agent path.
  - id: agent-team
    level: 45
    when:
      - '{agent} team'
      - team of {agent}
      - team of {helper}
      - '{agent} swarm'
      - use .. swarm
      - '{launch} .. swarm'
      - swarm of {agent}
      - team mode
      - teammate
      - '{agent} .. hand work to each other'
      - '{agent} .. shared task list'
    answer: { system: team, tier: standard }
    why: an agent team was asked for

  - id: researchers
    level: 52
    when: ['{researcher}', '{launch} .. {researcher}']
    unless: [^implement, hire .. researcher]
    answer: { system: built-in, type: VendorAResearcher, skill: Research }
    why: researchers were asked for; the Research skill runs them

  # The word agents, without custom.
  - id: agents
    level: 55
    when:
      - between {crew}
      - among {crew}
      - across {crew}
      - through {crew}
      - by {crew}
      - each {crew}
      - '{launch} ... {crew}'
      - '{many} {crew}'
      - '{crew} .. {working}'
      - '{crew} in parallel'
      - '{crew} at the same time'
      - with {crew}
      - via {crew}
      - '{crew} please'
      - '{crew} on this'
      - '{crew} on it'
      - '{crew} for this'
      - one {agent} per
      - an {agent} per
      - an {agent} for each
      - one {agent} for each
      - '^{crew}'
      - '{many} .. specialist .. {working}'
      - group of specialist
      - panel of specialist
      - panel of expert
      - specialist to {working}
    unless:
      - '{about} .. {crew}'
      - what is .. {crew}
      - what are .. {crew}
      - how do .. {crew}
      - how does .. {crew}
    answer: { system: custom, type: general-purpose, tier: standard, skill: Agents, workflow: CreateCustomAgent }
    why: agents were asked for; they are composed from traits and launched as general-purpose
`
