"""The three-grade rubric of replies: correct, partial, bad."""

from supermarket_env.scorers.grade.rubric import CLASSES, GRADES, Grade, grade_reply, worst_grade
from supermarket_env.scorers.grade.summary import GradeSummary, Share, summarise
from supermarket_env.scorers.grade.turns import ReplyGrade, Request, grade_episode

__all__ = [
    "CLASSES",
    "GRADES",
    "Grade",
    "GradeSummary",
    "ReplyGrade",
    "Request",
    "Share",
    "grade_episode",
    "grade_reply",
    "summarise",
    "worst_grade",
]
