/** Planning, exploring, design, architecture and code, and the default. */
export const EVERYDAY_WORK = `
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
