//! Owns the words and phrases that orders to a model are made of, in English, German, Spanish, French and
//! Chinese, written as [`super::words`] writes them: lower case, without accents and apostrophes.

/// What a cue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// Tells by itself, with a weight in parts of 10,000.
    Tells(Kind, u16),
    /// To drop something.
    Drop,
    /// What came earlier, or everything.
    Prior,
    /// Rules, instructions, prompts.
    Rules,
    /// Of the reader.
    Your,
    /// What a model gives back.
    Answer,
    /// Pieces of code.
    Code,
    /// Somebody is told to do what follows.
    Order,
    /// A task of the kind that models are given.
    Task,
    /// To hand something over.
    Send,
    /// What should stay where it is.
    Guarded,
    /// Where to.
    Target,
    /// To destroy something.
    Destroy,
    /// Without exception.
    Ever,
    /// Things that are stored.
    Store,
    /// On every occasion, or on none.
    Always,
    /// To say something.
    Say,
    /// On a condition about a user.
    When,
    /// A question begins.
    Ask,
    /// A question ends.
    Mark,
}

/// Independent reasons to take a text for an order; each counts once, with its heaviest cue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Override,
    Role,
    System,
    Jailbreak,
    Answer,
    Code,
    Send,
    Destroy,
    Rule,
    Task,
    Question,
}

/// How many kinds there are.
pub(super) const KINDS: usize = 11;

/// Words of one cue, separated by `|`.
pub(super) const CUES: &[(Cue, &str)] = &[
    (
        Cue::Drop,
        "ignore|ignores|ignoring|disregard|disregarding|forget|override|bypass|discard|neglect|let go of|\
        do not follow|dont follow|stop following|no longer follow|no longer have to follow|pay no attention to|erase|\
        ignoriere|ignorieren|ignoriert|vergiss|vergesst|vergessen sie|missachte|missachten|ubergehe|setze|\
        ignora|ignorad|olvida|olvide|olvidad|descarta|descarte|omite|no sigas|\
        ignorez|oublie|oubliez|ne tiens pas compte|ne tenez pas compte|faites abstraction|neglige",
    ),
    (
        Cue::Prior,
        "previous|prior|above|preceding|earlier|all|any|every|everything|original|existing|former|before|\
        initial|your|these|those|the|vorherigen|bisherigen|obigen|fruheren|vorigen|vorangegangenen|alle|deine|ihre|\
        anteriores|anterior|previas|previos|todas|todos|tus|sus|las|los|\
        precedentes|precedente|anterieures|toutes|tous|tes|vos|les",
    ),
    (
        Cue::Rules,
        "instruction|instructions|rule|rules|prompt|prompts|guideline|guidelines|directive|directives|\
        directions|orders|commands|policies|restrictions|programming|constraints|conversations|safeguards|training|\
        anweisung|anweisungen|regeln|vorgaben|instruktionen|richtlinien|befehle|\
        instruccion|instrucciones|reglas|ordenes|indicaciones|directrices|consignes|regles|directives|ordres",
    ),
    (
        Cue::Your,
        "your|the|its|dein|deine|deiner|deinem|deinen|ihre|ihrer|ihrem|ihren|tu|tus|su|la|ton|ta|votre|vos|tes",
    ),
    (
        Cue::Answer,
        "answer|answers|answers words|response|responses|responses words|reply|replies|output|outputs|completion|message|\
        answering|responding|replying|elucidation|implementation|codebase|algorithm|solution|paragraph|\
        antwort|antworten|ausgabe|respuesta|respuestas|salida|reponse|reponses|sortie",
    ),
    (
        Cue::Code,
        "following code|subsequent code|below code|code below|code snippet|code snippets|code block|code blocks|\
        code excerpt|code excerpts|code section|code segment|code fragment|piece of code|folgenden code|\
        folgenden codeblock|siguiente codigo|code suivant|following script|following command|following commands|\
        以下代码|下面的代码",
    ),
    (
        Cue::Order,
        "you must|you should|you will|you shall|you are to|you are going to|you need to|you have to|i want you to|\
        i need you to|i would like you to|i request that|make sure to|be sure to|ensure to|dont forget to|\
        do not forget to|remember to|remember|keep in mind to|dont hesitate to|do not hesitate to|must|should|\
        can you|could you|would you|will you|have to|need to|du musst|du sollst|sie mussen|debes|tienes que|debe|\
        tu dois|vous devez|il faut|make sure you|make sure that you|youll|you now|it is important to|instructed to|asked to",
    ),
    (
        Cue::Task,
        "add|anagram|act|answer|append|apply|assume|augment|blend|break down|brainstorm|build|change|\
        classify|combine|compare|compose|compute|consider|convert|copy|correct|create|deploy|describe|design|develop|\
        discuss|draft|edit|embed|emphasize|employ|encode|engage|enhance|enlist|enrich|ensure|execute|explain|extract|feature|fuse|\
        generate|give an|give a|give me|give us|show me|show us|group|harmonize|highlight|identify|imagine|implement|incorporate|include|\
        infuse|inject|insert|integrate|interweave|introduce|invent|jumble|leverage|list|make the|make it|make your|make a|make an|meld|\
        mention|merge|misspell|modify|outline|output|paraphrase|perform|place|play|prefix|prepend|present|pretend|print|produce|\
        promote|propose|provide|put|rearrange|recommend|reflect|refactor|remove|render|replace|reply|repeat|respond|return|reverse|rewrite|\
        roleplay|run|say|scramble|select|separate|shift|shuffle|simulate|solve|spell|start|suggest|substitute|summarize|\
        summarise|swap|switch|take on|tease|tell|transform|translate|turn|type|use|utilize|weave|write|absorb|adopt|\
        schreibe|schreib|schreiben sie|erklare|erklaren sie|ubersetze|antworte|antworten sie|gib|geben sie|erstelle|nenne|fuge|\
        fasse|verwende|verwenden sie|sage|fuhre|escribe|escriba|explica|explique|traduce|traduzca|responde|responda|genera|resume|incluye|anade|agrega|\
        usa|di|muestra|ejecuta|ecris|ecrivez|expliquez|traduis|traduisez|reponds|repondez|genere|generez|\
        resumez|ajoute|ajoutez|utilise|utilisez|inclus|incluez|donne|donnez|affiche|affichez|executez",
    ),
    (
        Cue::Send,
        "send|forward|email|mail|upload|post|transmit|leak|reveal|share|publish|exfiltrate|submit|disclose|\
        show|print|display|output|repeat|copy|paste|append|give|export|\
        sende|senden sie|schicke|schicken sie|leite|verrate|zeige|veroffentliche|poste|\
        envia|envie|manda|reenvia|revela|muestra|comparte|publica|\
        envoie|envoyez|transfere|transferez|revele|revelez|montre|montrez|partage|partagez|publie|publiez",
    ),
    (
        Cue::Guarded,
        "password|passwords|secret|secrets|credential|credentials|api key|api keys|private key|private keys|\
        token|tokens|conversation|chat history|history|system prompt|hidden prompt|initial prompt|your prompt|\
        your instructions|your rules|environment variables|personal data|contacts|customer data|user data|memories|\
        bank details|credit card|passwort|passworter|zugangsdaten|geheimnis|systemprompt|verlauf|kontakte|\
        contrasena|contrasenas|claves|credenciales|historial|contactos|mot de passe|mots de passe|identifiants|\
        historique|cles|invite systeme",
    ),
    (
        Cue::Target,
        "@|http|https|www|webhook|ftp|following address|this address|attacker|following url|this url",
    ),
    (
        Cue::Destroy,
        "delete|erase|wipe|remove|drop|destroy|purge|overwrite|losche|loschen sie|entferne|vernichte|elimina|borra|\
        supprime|supprimez|efface|effacez",
    ),
    (
        Cue::Ever,
        "all|every|everything|entire|whole|any|alle|alles|samtliche|todos|todas|todo|tous|toutes|tout",
    ),
    (
        Cue::Store,
        "file|files|database|databases|record|records|memories|memory|log|logs|data|emails|messages|backup|backups|\
        tables|folder|directory|dateien|datenbank|daten|archivos|ficheros|datos|memorias|fichiers|donnees|base de donnees",
    ),
    (
        Cue::Say,
        "answer|respond|reply|say|start|begin|end|mention|refuse|tell|recommend|claim|output|include|write|\
        speak|use|follow|obey|comply|break|disclose|reveal|reject|decline|admit|apologize|agree|pretend|\
        antworte|antworten|sage|sag|erwahne|verweigere|responde|responder|di|decir|menciones|reponds|repondre|dis|dire|refuse",
    ),
    (
        Cue::Always,
        "always|never|do not ever|dont ever|immer|nie|niemals|siempre|nunca|toujours|jamais",
    ),
    (
        Cue::When,
        "if the user|when the user|whenever the user|if a user|when a user|whenever a user|if anyone asks|\
        if someone asks|when anyone asks|when asked|whenever asked|if asked|if i ask|when i ask|whenever i|\
        every time i|each time i|wenn der nutzer|wenn der benutzer|falls der nutzer|wenn jemand fragt|\
        si el usuario|cuando el usuario|si alguien pregunta|si l utilisateur|quand l utilisateur|si on te demande|\
        si lutilisateur|quand lutilisateur|lorsque lutilisateur",
    ),
    (
        Cue::Ask,
        "what|whats|who|whose|which|where|when|why|how|is|are|does|do|can|could|would|should|\
        was|wer|wo|wann|warum|wie|welche|que|quien|donde|cuando|por que|como|cual|quoi|qui|ou|quand|pourquoi|comment|quel|quelle",
    ),
    (Cue::Mark, "?"),
    (
        Cue::Tells(Kind::Override, 8_500),
        "supersedes all previous|overrides all previous|new instructions|new instruction|\
        your new task|your real task|your actual task|your only task|instead of following|above all else|\
        neue anweisung|neue anweisungen|nueva instruccion|nuevas instrucciones|nouvelle instruction|nouvelles instructions|\
        忽略之前|忽略以上|忽略上面|忽略前面|忽略所有|无视之前|无视以上|无视所有|忘记之前|忘记以上|忘掉之前|不要理会之前|新的指令|新指令|忽略先前|無視之前|忽略你之前",
    ),
    (
        Cue::Tells(Kind::Role, 7_500),
        "you are now|now you are|you will now|now you will|you are going to act|you are going to pretend|\
        you are going to be|you are about to become|you are about to immerse|immerse yourself|act as|acts as|acting as|\
        pretend to be|pretend that you|pretend you|pretend to|play the role|role of|in the role|take on the role|assume the role|\
        assume the persona|roleplay|role play|roleplaying|stay in character|in character|break character|simulate|impersonate|you are a switch|\
        imagine you are|imagine that you are|as a persona|persona|your name is now|your name now is|respond as|reply as|\
        answer as|speak as|behave like|behave as|you are to act|i want you to be|you are in a|you are an ai|you are a chatbot|you are chatgpt|\
        you are the user|you are an assistant|you are free|transform into|\
        du bist jetzt|du bist nun|du bist ab|sie sind jetzt|sie sind nun|tu so als|verhalte dich|spiele die rolle|\
        nimm die rolle|agiere als|eres ahora|ahora eres|actua como|actue como|finge ser|finge que|haz de|\
        tu es maintenant|tu es desormais|vous etes maintenant|vous etes desormais|agis comme|agissez comme|\
        fais semblant|faites semblant|joue le role|dans le peau|dans la peau|tu vas jouer|\
        你现在是|你现在扮演|现在你是|请扮演|扮演一个|假装你是|假装成|充当|从现在起你|你将扮演|你是一个没有",
    ),
    (
        Cue::Tells(Kind::Rule, 7_500),
        "from now on|from this point on|from this point forward|from this moment on|from this moment forward|\
        from now own|from on now|in all future|for all future|for the rest of this conversation|for every prompt|to every prompt|all prompts|every request|\
        every question i|in every response|in every answer|in each response|in all your answers|in all your responses|\
        ab jetzt|von nun an|ab sofort|kunftig|a partir de ahora|de ahora en adelante|desde ahora|en adelante|\
        a partir de maintenant|desormais|dorenavant|从现在开始|从现在起|今后|以后都|每次都要",
    ),
    (
        Cue::Tells(Kind::System, 8_000),
        "system prompt|system message|system instruction|system instructions|systemprompt|im_start|im_end|inst|\
        begin system|end of prompt|end of instructions|begin instructions|hidden instruction|hidden instructions|secret instruction|\
        new rule|new rules|developer message|admin override|debugging mode|maintenance mode|god mode|ai instructions|assistant instructions|\
        instructions for the ai|instruction for the ai|instructions for ai|note to ai|note to the ai|attention ai|\
        dear ai|if you are an ai|if you are a language model|systemnachricht|neue regel|mensaje del sistema|\
        nueva regla|message systeme|nouvelle regle|系统提示|系统指令|系统消息|新规则|新的规则|提示词",
    ),
    (
        Cue::Tells(Kind::Jailbreak, 7_500),
        "jailbreak|jailbroken|unfiltered|uncensored|amoral|nonmoral|unethical|developer mode|do anything now|no restrictions|\
        without restrictions|without any restrictions|no filter|no filters|no limits|no rules|no ethical|ethical guidelines|moral guidelines|\
        ethical or moral|content policy|content policies|openai policies|openai policy|openais policies|your restrictions|\
        restrictions are lifted|dan mode|evil mode|opposite mode|stay a dan|as dan|unrestricted|uncensored mode|free of all restrictions|\
        ohne einschrankungen|ungefiltert|sin restricciones|sin filtros|sans restriction|sans restrictions|sans filtre|没有限制|不受限制|没有任何限制|越狱",
    ),
    (
        Cue::Tells(Kind::Jailbreak, 4_000),
        "chatgpt|openai|language model|ai model|chatbot|gpt|hypothetical|hypothetically|fictional|\
        language models|as an ai|virtual machine|sprachmodell|modelo de lenguaje|modele de langage|语言模型",
    ),
    (
        Cue::Tells(Kind::Answer, 7_000),
        "in your response|in your answer|in your reply|to your response|to your answer|to your reply|\
        your response with|your answer with|your reply with|your response in|your reply in|your answer in|your response to|your answer to|\
        your response by|your answer by|your reply by|start your|begin your|end your|as part of your|a part of your|\
        in deiner antwort|in ihrer antwort|in deine antwort|en tu respuesta|en su respuesta|a tu respuesta|dans ta reponse|dans votre reponse|a votre reponse|\
        在你的回答|在回答中|在你的回复|你的回答|回复时|回答时",
    ),
    (
        Cue::Tells(Kind::Send, 7_500),
        "泄露|透露|把密码|发送到|发送给|发给|转发给|上传到|告诉我你的|显示你的|输出你的",
    ),
    (
        Cue::Tells(Kind::Destroy, 7_000),
        "rm rf|drop table|drop database|dd if|mkfs|format c|删除所有|删除全部|清空",
    ),
    (
        Cue::Tells(Kind::Rule, 6_000),
        "不要告诉|必须回答|只能回答|总是回答|永远不要|一律|务必|当用户|如果用户",
    ),
    (
        Cue::Tells(Kind::Task, 5_500),
        "请翻译|请写|请解释|请回答|请生成|翻译以下|写一|请提供|请列出|解释一下|总结以下|请总结",
    ),
    (
        Cue::Tells(Kind::Code, 5_500),
        "your code|your codebase|your implementation|your algorithm|your solution|code you|code section|code excerpt",
    ),
];
