/**
 * The routing rules of spec 3 as data. A lower level wins; within a level the rule whose words come
 * first in the request, then the one listed first here.
 */
export const RULES_TEXT = `
rules:
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

  # Unattended work.
  - id: unattended
    level: 50
    unattended: true
    unless:
      - ^answer quickly
      - interactive
      - '{minutes} minute'
      - local file
      - local skill
      - on my machine
    answer: { system: managed, tier: standard }
    why: it runs unattended, which managed agents are for; they survive disconnects
    notes: [managed agents do not load local instructions or skills]
  - id: unattended-in-words
    level: 50
    when:
      - '{away}'
      - '{link} {drops}'
      - '{drops} .. {link}'
      - 'survive'
      - until monday
      - until tomorrow
      - until i am back
      - until i'm back
      - till morning
      - when i wake up
      - when i get back
      - before i wake up
      - keep .. run .. after
      - '{runs} after hours'
      - cloud session
      - remote session
      - in .. background for hours
      - long running
      - on a schedule
      - '{runs} .. from .. ci'
      - '{runs} .. in our ci'
      - from our ci
      - in a ci pipeline
      - around the clock
      - 24 7
      - asynchronously in the cloud
      - without a human
      - with nobody
      - without any human
      - no human in the loop
      - nobody around
      - on autopilot
      - resume .. by itself
      - headless in ci
      - overnight
      - over night
      - through the night
      - during the night
      - all night
      - until morning
      - by morning
      - tomorrow morning
      - while .. sleep
      - while .. asleep
      - while i'm .. away
      - while i am .. away
      - while i'm .. out
      - while .. vacation
      - while .. holiday
      - go to bed
      - over the weekend
      - through the weekend
      - unattended
      - unsupervised
      - without supervision
      - without me
      - without anyone watching
      - without babysitting
      - nobody .. watch
      - no one .. watch
      - nobody is there
      - survive .. disconnect
      - survive .. connection
      - survive .. restart
      - survive .. laptop
      - survive .. crash
      - survive .. reboot
      - even if .. laptop
      - even if .. disconnect
      - even if .. offline
      - even if .. connection
      - even if .. close
      - even when .. laptop
      - even when .. disconnect
      - when .. connection drop
      - if .. connection drop
      - after .. lost connection
      - after .. disconnect
      - close .. laptop
      - close .. lid
      - '{runs} .. in ci'
      - '{runs} .. in the ci'
      - '{runs} .. on ci'
      - '{runs} .. from ci'
      - as .. ci job
      - triggered by ci
      - triggered by a webhook
      - trigger .. webhook
      - '{runs} .. in the cloud'
      - cloud agent
      - hosted agent
      - managed agent
      - remote agent
      - nightly job
      - '{runs} .. nightly'
      - '{runs} every night'
      - for hours
      - for {hours} hour
      - take {hours} hour
      - several hour
      - take .. {hours} hour
      - run .. {hours} hour
      - need .. {hours} hour
      - nobody .. around
      - many hour
      - hours long
      - for days
      - on its own until
    unless:
      - '^fix .. {link}'
      - '^implement .. survive'
      - '{artefact} .. {broken} when .. connection'
      - '^why'
      - '^debug'
      - '^investigate .. {drops}'
      - did .. survive
      - '^fix'
      - '^handle .. {link}'
      - '^explain'
      - '{broken} .. overnight'
      - overnight .. {broken}
      - nightly build .. {broken}
      - why .. overnight
      - what happened .. overnight
      - '^fix .. ci'
      - '^repair .. ci'
      - '^implement .. webhook'
      - '^add .. webhook'
      - interactive
      - interactively
      - only takes {minutes} minute
      - '{minutes} minute job'
      - takes {minutes} minute
      - in {minutes} minute
    answer: { system: managed, tier: standard }
    why: it runs unattended, which managed agents are for; they survive disconnects
    notes: [managed agents do not load local instructions or skills, and are not worth it under 30 minutes]

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

  - id: attack
    level: 58
    when:
      - ^break into
      - try .. break into
      - break into
      - simulate .. attack
      - simulate .. attacker
      - ^probe .. {target}
      - hack .. {target}
      - injection vulnerability
      - sql injection against
      - act as an attacker
      - like an attacker
      - security assessment
      - vulnerability assessment
      - vulnerability scan
      - security weakness
      - find .. way in
      - find .. exploit
      - bug bounty
      - fuzz .. {target}
      - offensive test
      - attack .. {target}
      - bypass .. auth
      - pentest
      - pen test
      - penetration test
      - red team
      - redteam
      - offensive security
      - attack surface
      - '^attack .. {target}'
      - '{launch} .. attack on'
      - exploit .. {target}
      - ^exploit
      - try to exploit
      - break into .. {target}
      - try to break into
      - hack into
      - hack our
      - find .. vulnerability
      - look for .. vulnerability
      - look for .. security hole
      - find .. security hole
      - scan .. vulnerability
      - probe .. vulnerability
      - probe .. weakness
      - security test
      - ethical hack
    unless: [under attack, '^document', '^write .. about', '^fix', '^implement', '^patch', '{about} .. pentest']
    answer: { system: built-in, type: SecurityTester }
    why: offensive security testing was asked for
    notes: [spawn one per attack surface]

  - id: cross-vendor-audit
    level: 58
    when:
      - impartial audit
      - impartial review
      - neutral audit
      - '{audit} ... rival model'
      - '{foreign} .. verify'
      - verify .. with {foreign}
      - fresh eye from {foreign}
      - somebody else's model
      - independent verification
      - unbiased audit
      - '{foreign} {audit}'
      - '{audit} ... {foreign}'
      - '{foreign} .. {audit}'
      - second opinion .. {vendor}
      - read only {audit}
      - independent audit
      - independent read only
      - external audit
      - independent auditor
      - independent code review
      - '{launch} .. auditor'
    unless: [audit log, tax audit]
    answer: { system: built-in, type: Cato }
    why: an audit by another vendor's model was asked for; the auditor only reads

  - id: parallel-work
    level: 60
    when:
      - in parallel
      - parallelize
      - concurrently
      - simultaneously
      - at the same time
      - all at once
      - side by side
      - '{runs} .. at once'
      - parallel work
      - work in parallel
      - coordinate .. piece
      - coordinate .. part
      - coordinate .. work
      - coordinate .. task
      - coordinate them
      - coordinate between
      - and coordinate
      - depend on each other
      - depend on one another
      - task .. dependency
      - step .. dependency
      - dependency between .. task
      - distribute .. across
      - distribute .. among
      - spread .. across .. worker
      - split .. up and
      - divide and conquer
      - divide .. among
      - fan out
      - several worker
    unless:
      - '^implement .. support'
      - '^add .. support .. parallel'
      - run in parallel mode
      - that run .. parallel
      - which run .. parallel
      - make .. run in parallel
      - tests .. run .. parallel
      - compare .. side by side
      - show .. side by side
      - side by side view
    answer: { system: team, tier: standard }
    why: parallel or coordinated work goes to an agent team by default

  - id: knowledge
    level: 62
    when: [knowledge archive, knowledge base, our knowledge, my knowledge notes, what do we know about, what do i know about, in my notes, in our notes]
    unless: [^implement, ^write, ^build]
    answer: { system: built-in, type: general-purpose, tier: fast, skill: Knowledge }
    why: it is a question to the knowledge archive, which the Knowledge skill reads

  - id: research
    level: 70
    when:
      - do .. digging
      - background information
      - background on
      - in depth investigation
      - ^compile .. evidence
      - investigation of
      - '{change} .. investigation'
      - get .. facts
      - find .. source for
      - find .. study
      - find .. papers
      - what is known about
      - gather .. data on
      - learn more about
      - get to the bottom of
      - explore the topic
      - what do experts say
      - market analysis
      - competitive analysis
      - competitor analysis
      - track down
      - scour the web
      - search the web
      - search online
      - google
      - find information
      - '^{research}'
      - 'do .. research'
      - '{change} .. research on'
      - research it
      - research this
      - some research
      - deep dive
      - deep research
      - literature review
      - ^gather .. source
      - ^collect .. source
      - gather .. evidence
      - state of the art
      - ^study .. literature
      - look into
      - dig into
      - read up on
      - investigate why
      - investigation into
      - what does the evidence say
      - what does the literature say
      - ^compare .. on the market
      - '^collect .. information'
      - '^gather .. information'
      - ^learn everything about
    answer: { system: built-in, type: VendorAResearcher, skill: Research }
    why: research or investigation goes to the Research skill with its researchers

  - id: whole-project
    level: 66
    when:
      - '{whole} {project} ... {change}'
      - '{whole} {project} ... {implement}'
      - '{change} all module'
      - '{change} ... across all'
      - '{change} ... every file'
      - '{implement} ... all file'
      - '{change} ... in all file'
      - whole project cod
      - whole repo
      - entire repo change
      - '{change} .. everywhere'
      - '{implement} ... {whole} {project}'
      - '{change} ... {whole} {project}'
      - '{implement} ... {wide}'
      - '{change} ... {wide}'
      - '{wide} .. change'
      - '{wide} .. refactor'
      - '{wide} .. rename'
      - '{wide} .. migration'
      - '{wide} .. rewrite'
      - refactoring {wide}
      - refactoring ... {whole} {project}
      - refactoring across
      - migration of the {whole} {project}
      - rewrite of the {whole} {project}
      - '{longContext} ... {project}'
      - '{longContext} ... change'
      - '{longContext} ... {implement}'
      - '{implement} ... {longContext}'
      - '{change} ... {longContext}'
      - long context cod
      - large context cod
      - '{change} every module'
      - '{implement} every module'
      - '{change} all package'
      - '{change} every package'
      - '{change} every file'
      - '{implement} every file'
    unless: ['^explain', '^document', '^map out', '^find', '^where', '^explore', tour of]
    answer: { system: built-in, type: Anvil }
    why: coding across a whole project needs the long-context coder (256K)

  - id: no-shortcuts
    level: 68
    when:
      - '{not} .. {shortcut}'
      - do it the right way
      - the right way this time
      - '{not} skimp'
      - '{not} be lazy'
      - '{not} be sloppy'
      - whatever it takes
      - done right
      - '{not} .. shortcut'
      - '{not} .. cut .. corner'
      - '{not} .. half measure'
      - '{not} compromise'
      - '{not} .. quick hack'
      - do it right
      - do it properly
      - leave nothing out
    answer: { system: built-in, type: Forge }
    why: the request forbids shortcuts, which calls for Forge

  - id: production-grade
    level: 68
    when: ['{production}']
    with: ['{artefact}', '{implement}', '^{change}']
    notEfforts: [E1, E2]
    unless: ['{broken} .. production', deploy to production]
    answer: { system: built-in, type: Forge }
    why: production-grade code is Forge's work from effort E3 on

  - id: plan
    level: 70
    when:
      - step by step plan
      - implementation step
      - 'a plan for ... {artefact}'
      - a plan for the migration
      - a plan to implement
      - a plan for implementing
      - a plan before
      - phased plan
      - rollout plan
      - migration plan
      - project plan
      - ^plan our
      - ^plan the work
      - only plan
      - just plan
      - implementation plan
      - plan the implementation
      - plan .. implementation
      - plan mode
      - '^plan ... {artefact}'
      - '^plan .. rollout'
      - '^plan .. migration'
      - '^plan .. refactoring'
      - '^plan .. release'
      - ^plan how
      - ^plan out
      - ^make a plan
      - ^write a plan
      - ^draft a plan
      - ^come up with a plan
      - ^work out a plan
      - ^outline .. step
      - break ... down into .. step
      - break .. down into .. task
      - steps .. to implement
      - '{change} .. steps .. implement'
      - before you touch anything
      - roadmap for implementing
    answer: { system: built-in, type: Plan }
    why: an implementation needs a plan first

  - id: explore
    level: 70
    when:
      - caller of
      - look through the {repo}
      - ^trace
      - 'find ... in the {repo}'
      - 'find ... in this {repo}'
      - list .. file
      - what does this {repo}
      - how this {repo}
      - how the {repo}
      - summarize the {repo}
      - how .. flow through
      - what are the entry point
      - entry point of
      - which component
      - where .. live
      - where .. defined
      - where .. happen
      - navigate the {repo}
      - familiarize
      - where is
      - where are
      - where do we
      - where does
      - show me where
      - which file
      - what file
      - which module
      - which function
      - which part of the code
      - '^explore .. {repo}'
      - ^explore how
      - 'find every .. {repo}'
      - find every place
      - find all place
      - find .. usage
      - find .. caller
      - find .. reference to
      - find .. defined
      - find where
      - who calls
      - what calls
      - ^locate
      - tour of .. {repo}
      - walk me through .. {repo}
      - how does ... in this {repo}
      - how is ... in this {repo}
      - how does ... in the {repo}
      - how do ... in this {repo}
      - how is ... in the {repo}
      - map out .. module
      - map out .. {repo}
      - ^map the {repo}
      - overview of .. {repo}
      - understand .. {repo}
      - ^explain .. {repo}
      - get to know .. {repo}
      - structure of the {repo}
      - search .. {repo} for
      - grep for
    unless: [where is the nearest, where is my]
    answer: { system: built-in, type: Explore }
    why: it is about exploring the code

  - id: browser
    level: 70
    when:
      - actual browser
      - headless browser
      - live browser
      - '{change} .. in the browser'
      - playwright session
      - log in .. browser
      - browse to
      - screenshot of
      - real browser
      - click through
      - '^test .. in the browser'
      - '^check .. in the browser'
      - '^open .. in the browser'
      - '^open .. in a browser'
      - '^verify .. in the browser'
      - '^test .. in a browser'
      - take .. screenshot of .. page
      - browser automation
      - automate .. browser
    unless: ['^implement']
    answer: { system: built-in, type: general-purpose, skill: Browser }
    why: a real browser is needed; the real-browser skill replaces the browser, review and tester types

  - id: interface-design
    level: 70
    when:
      - visual style
      - 'come up with ... look'
      - 'make .. look'
      - '^sketch ... {ui}'
      - '^draw ... {ui}'
      - user experience
      - 'ui .. ugly'
      - 'screen .. ugly'
      - 'page .. ugly'
      - figma
      - '^style guide'
      - information hierarchy
      - 'ux .. feedback'
      - '^design ... {ui}'
      - '^redesign'
      - wireframe
      - mockup
      - mock up
      - '^{polish} .. ux'
      - '^{polish} .. user experience'
      - '^{polish} .. usability'
      - '^{polish} .. layout'
      - '^{polish} .. look and feel'
      - '^{polish} .. user interface'
      - '^{polish} .. visual'
      - '^polish .. {ui}'
      - '^restyle'
      - '^beautify'
      - ux design
      - ui design
      - ux review
      - user flow
      - color palette
      - colour palette
      - typography
      - '^{polish} .. design system'
      - a design system
      - look nicer
      - look prettier
    unless: [^implement, ^code, '^design .. database', '^design .. schema', '^design .. api', '^fix']
    answer: { system: built-in, type: Designer }
    why: it is about user interface and experience

  - id: architecture
    level: 70
    when:
      - design for .. {system}
      - come up with .. design
      - lay out the service
      - lay out the module
      - lay out the system
      - how should .. fit together
      - how should .. talk to each other
      - how should .. communicate
      - structure the code
      - structure the project
      - system architecture
      - software design
      - design decision
      - architectural
      - ^model the
      - best way to structure
      - best way to organize
      - scalable
      - monolith or
      - microservices or
      - sql or nosql
      - rest or
      - event driven or
      - ^evaluate .. approach
      - architecture
      - ^architect
      - we architect
      - architect the
      - architect a
      - system design
      - '^design ... {system}'
      - high level design
      - technical design
      - '{change} .. design document'
      - design doc
      - how should we structure
      - how should i structure
      - how should .. be structured
      - how would you structure
      - how should we organize
      - how should we split
      - how do we scale
      - how should .. scale
      - trade off
      - tradeoff
      - module boundary
      - service boundary
      - bounded context
      - data model
      - monolith
      - domain model
      - should we use .. or
      - which database should
      - which pattern
      - design pattern for
    unless: [^implement, ^explain what, '{about} .. architecture of the cathedral', '^refactor', '^fix']
    answer: { system: built-in, type: Architect }
    why: it is about architecture or design

  - id: audit
    level: 70
    when:
      - '^audit .. {codeThing}'
      - '^audit'
      - code audit
      - audit of the {codeThing}
      - '^review .. {codeThing}'
      - code review
    unless: [audit log, '^implement', tax]
    answer: { system: built-in, type: Cato }
    why: an audit goes to the read-only auditor of another vendor

  - id: code-at-high-effort
    level: 70
    when: ['^{implement}', '{implement} .. {artefact}']
    unless: ['{rough}']
    efforts: [E3, E4, E5]
    answer: { system: built-in, type: Forge }
    why: code at effort E3 and above must be production-grade, which is Forge's work
  - id: change-at-high-effort
    level: 72
    when: ['^{change} ... {artefact}', '{artefact} .. {broken}']
    unless: ['{rough}', '{prose}']
    efforts: [E3, E4, E5]
    answer: { system: built-in, type: Forge }
    why: code at effort E3 and above must be production-grade, which is Forge's work

  - id: code
    level: 70
    when: ['^hook .. up', 'pair program', '^{implement}', '{implement} .. {artefact}']
    answer: { system: built-in, type: Engineer }
    why: it is standard code implementation
  - id: change
    level: 72
    when:
      - '^{change} ... {artefact}'
      - '{artefact} .. {broken}'
      - '{change} code'
      - failing test
      - bug in
      - bug where
      - code for
      - a script that
      - a function that
    unless: ['{prose}']
    answer: { system: built-in, type: Engineer }
    why: it is standard code implementation

  - id: design
    level: 75
    when: [^design, '{change} .. design for']
    answer: { system: built-in, type: Architect }
    why: it is about architecture or design

  - id: default
    level: 99
    answer: { system: built-in, type: general-purpose }
    why: it needs no special agent; the assistant can do it itself, or delegate it to general-purpose
`
