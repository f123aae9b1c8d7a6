/** Work with a special demand: security, audit, parallel work, research, production quality. */
export const SPECIAL_WORK = `
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
      - '{change} ... each file in the {project}'
      - '{change} every use ... {project}'
      - '{implement} the whole app'
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
      - cut no corner
      - done properly
      - quality matters more
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
`
